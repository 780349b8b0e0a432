package upstream

// What nginx takes for a request, and what it refuses, has become stricter from
// version to version.

// RefusesSecondHost is true since 1.17.9: a second Host line is answered with 400;
// before, the last one chose the server and the first one was $http_host
// (ngx_http_process_host).
func (v Version) RefusesSecondHost() bool { return v.since(1_017_009) }

// RefusesSecondCoding is true since 1.17.9: a second Transfer-Encoding line is
// answered with 400, and "identity" with 501; before, the first line counted, and
// identity was none.
func (v Version) RefusesSecondCoding() bool { return v.since(1_017_009) }

// CutsLastDots is true since 1.17.5: "/." and "/.." at the end of a path are taken
// out, and an escape that is cut short there is answered with 400; before, both
// stayed as they were (ngx_http_parse_complex_uri).
func (v Version) CutsLastDots() bool { return v.since(1_017_005) }

// TakesBareQuery is true since 1.19.6: "http://host?x" is a target, with "/" for a
// path (ngx_http_parse_request_line).
func (v Version) TakesBareQuery() bool { return v.since(1_019_006) }

// RefusesOddTargets is true since 1.21.1: a space or a control character in a
// request's target or in its host is answered with 400.
func (v Version) RefusesOddTargets() bool { return v.since(1_021_001) }

// RefusesConnect is true since 1.21.1: CONNECT is answered with 405; before, it was
// passed on as any other method.
func (v Version) RefusesConnect() bool { return v.since(1_021_001) }

// RefusesLengthOfChunks is true since 1.21.1: a request with Content-Length beside
// Transfer-Encoding is answered with 400; before, the length was ignored
// (ngx_http_process_request_header).
func (v Version) RefusesLengthOfChunks() bool { return v.since(1_021_001) }

// RefusesChunksOf10 is true since 1.21.2: a request of HTTP/1.0 with
// Transfer-Encoding is answered with 400.
func (v Version) RefusesChunksOf10() bool { return v.since(1_021_002) }

// ConnectNamesHost is true since 1.29.3: CONNECT is followed by host and port, and
// 400 is the answer to anything else.
func (v Version) ConnectNamesHost() bool { return v.since(1_029_003) }

// RefusesOddHosts is true since 1.29.4: a host has to have the characters that RFC
// 3986 gives one, and a port that is a number up to 65535
// (ngx_http_validate_host).
func (v Version) RefusesOddHosts() bool { return v.since(1_029_004) }

// RefusesSecondProxyAuthorization is true since 1.29.7; a second Authorization is
// refused by all.
func (v Version) RefusesSecondProxyAuthorization() bool { return v.since(1_029_007) }

// RefusesSecondRange is true since 1.11.0: a second Content-Range line of a request
// is answered with 400.
func (v Version) RefusesSecondRange() bool { return v.since(1_011_000) }

// TakesForwardedPorts is true since 1.11.0: where a header names a client's address
// (set_real_ip_from), a port may stand behind it (ngx_parse_addr_port).
func (v Version) TakesForwardedPorts() bool { return v.since(1_011_000) }

// TakesForwardedBrackets is true since 1.27.3: there an IPv6 address may be in
// brackets without a port.
func (v Version) TakesForwardedBrackets() bool { return v.since(1_027_003) }

// SplitsCookiesAtCommas is true before 1.29.6: $cookie_x is also found behind a comma
// (ngx_http_parse_cookie_lines).
func (v Version) SplitsCookiesAtCommas() bool { return v.before(1_029_006) }

// TellsClose is true since 1.21.6: what is answered while the workers shut down says
// "Connection: close"; before, a client was told that its connection was kept, and it
// was closed (ngx_http_header_filter).
func (v Version) TellsClose() bool { return v.since(1_021_006) }

// DropsProxyConnection is true since 1.31.0: a client's Proxy-Connection isn't passed
// on (ngx_http_proxy_headers).
func (v Version) DropsProxyConnection() bool { return v.since(1_031_000) }

// SendsHostFirst is true since 1.31.4: a request to a backend begins with Host, also
// over HTTP/1.1 with a proxy_set_header that leaves it empty
// (ngx_http_proxy_create_request).
func (v Version) SendsHostFirst() bool { return v.since(1_031_004) }

// KeepsStatusOfErrors is true before 1.15.4: where an error_page led, a "return" of 400
// and more without a text answered with the status of the error, not with its own
// (ngx_http_rewrite_handler).
func (v Version) KeepsStatusOfErrors() bool { return v.before(1_015_004) }

// KeepsClientsLong is true since 1.19.10: a client's connection serves 1000 requests,
// and an hour, unless keepalive_requests and keepalive_time say otherwise; before, it
// served 100, and was never too old.
func (v Version) KeepsClientsLong() bool { return v.since(1_019_010) }

// NoticesEarlyEnd is true since 1.19.9: a client whose FIN comes with its request has
// left, as one whose FIN comes later; before, it got its answer
// (ngx_http_upstream_init_request).
func (v Version) NoticesEarlyEnd() bool { return v.since(1_019_009) }

// TakesDashesInMethods is true since 1.11.5: a method may have a "-".
func (v Version) TakesDashesInMethods() bool { return v.since(1_011_005) }

// Redirects308 is true since 1.13.0: "return 308" and error_page know that status as a
// redirect.
func (v Version) Redirects308() bool { return v.since(1_013_000) }

// RefusesHTTP2 is true since 1.13.1: a request line with HTTP/2.0 or a later version is
// answered with 505; before, it was taken for one of HTTP/1.1.
func (v Version) RefusesHTTP2() bool { return v.since(1_013_001) }

// Hides494 is true since 1.17.9: a client sees 400 also where an error_page is for 494
// (ngx_http_core_error_page).
func (v Version) Hides494() bool { return v.since(1_017_009) }

// EscapesAll is true since 1.21.1: a path is passed on with all of the bytes escaped that
// RFC 3986 doesn't allow in one, such as "<" and "|" (ngx_escape_uri).
func (v Version) EscapesAll() bool { return v.since(1_021_001) }

// LimitsHeaders is true since 1.29.8, which brought max_headers.
func (v Version) LimitsHeaders() bool { return v.since(1_029_008) }

// requestSwitches are those of this file, see switches.
var requestSwitches = []versionSwitch{
	{"refuses a second Content-Range", Version.RefusesSecondRange},
	{"takes ports of forwarded addresses", Version.TakesForwardedPorts},
	{"takes forwarded addresses in brackets", Version.TakesForwardedBrackets},
	{"takes the dots at a path's end out", Version.CutsLastDots},
	{"refuses a second Host", Version.RefusesSecondHost},
	{"refuses a second Transfer-Encoding", Version.RefusesSecondCoding},
	{"takes a query without a path", Version.TakesBareQuery},
	{"refuses odd targets of requests", Version.RefusesOddTargets},
	{"refuses CONNECT", Version.RefusesConnect},
	{"refuses a length beside chunks", Version.RefusesLengthOfChunks},
	{"refuses chunks of HTTP/1.0", Version.RefusesChunksOf10},
	{"wants a host behind CONNECT", Version.ConnectNamesHost},
	{"refuses odd hosts", Version.RefusesOddHosts},
	{"refuses a second Proxy-Authorization", Version.RefusesSecondProxyAuthorization},
	{"finds cookies behind commas", Version.SplitsCookiesAtCommas},
	{"tells its clients that it shuts down", Version.TellsClose},
	{"drops Proxy-Connection", Version.DropsProxyConnection},
	{"sends Host first", Version.SendsHostFirst},
	{"keeps an error's status behind error_page", Version.KeepsStatusOfErrors},
	{"keeps clients' connections for 1000 requests", Version.KeepsClientsLong},
	{"notices a client's end that comes with its request", Version.NoticesEarlyEnd},
	{"takes a dash in a method", Version.TakesDashesInMethods},
	{"takes 308 for a redirect", Version.Redirects308},
	{"refuses HTTP/2.0 in a request line", Version.RefusesHTTP2},
	{"hides 494 behind error_page", Version.Hides494},
	{"escapes all that no path may have", Version.EscapesAll},
	{"limits the number of headers", Version.LimitsHeaders},
}
