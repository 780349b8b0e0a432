package variable

import (
	"slices"
	"strings"
)

// reader appends a variable's value to b; ok is false, and b as it was, when it
// isn't there. name is the variable's name, for those that have a prefix.
type reader func(b []byte, f Facts, name string) (out []byte, ok bool)

// table holds the variables of nginx's standard modules (1.22 to 1.31) by name.
var table = map[string]reader{
	"args":                      ofRequest(func(r *Request) string { return r.Args }),
	"binary_remote_addr":        binaryRemoteAddr,
	"body_bytes_sent":           ofResponse(bodyBytesSent),
	"bytes_sent":                ofResponse(bytesSent),
	"connection":                connection,
	"connection_requests":       connectionRequests,
	"connection_time":           ofResponse(connectionTime),
	"content_length":            contentLength,
	"content_type":              firstHeader("content_type"),
	"document_uri":              ofRequest(func(r *Request) string { return r.Path }),
	"host":                      host,
	"hostname":                  ofProcess(func(p *Process) string { return p.Hostname }),
	"http2":                     empty,
	"http3":                     empty,
	"http_cookie":               joinedHeader("cookie", "; "),
	"http_host":                 httpHost,
	"http_referer":              firstHeader("referer"),
	"http_user_agent":           firstHeader("user_agent"),
	"http_x_forwarded_for":      joinedHeader("x_forwarded_for", ", "),
	"https":                     https,
	"is_args":                   isArgs,
	"limit_rate":                zero,
	"msec":                      ofResponse(msec),
	"nginx_version":             ofProcess(func(p *Process) string { return p.Version }),
	"pid":                       pid,
	"pipe":                      pipe,
	"proxy_add_x_forwarded_for": addForwardedFor,
	"proxy_host":                ofRequest(func(r *Request) string { return r.ProxyHost }),
	"proxy_port":                ofRequest(func(r *Request) string { return r.ProxyPort }),
	"query_string":              ofRequest(func(r *Request) string { return r.Args }),
	"realip_remote_addr":        realAddress,
	"realip_remote_port":        realPort,
	"remote_addr":               remoteAddr,
	"remote_port":               remotePort,
	"remote_user":               remoteUser,
	"request":                   ofRequest(func(r *Request) string { return r.Line }),
	"request_body":              requestBody,
	"request_completion":        requestCompletion,
	"request_id":                requestID,
	"request_length":            requestLength,
	"request_method":            ofRequest(func(r *Request) string { return r.Method }),
	"request_time":              ofResponse(requestTime),
	"request_uri":               ofRequest(func(r *Request) string { return r.Target }),
	"scheme":                    scheme,
	"sent_http_cache_control":   sentJoined("cache_control"),
	"sent_http_last_modified":   sentLastModified,
	"sent_http_link":            sentJoined("link"),
	"server_addr":               serverAddr,
	"server_name":               serverName,
	"server_port":               serverPort,
	"server_protocol":           serverProtocol,
	"status":                    status,
	"time_iso8601":              ofResponse(timeISO8601),
	"time_local":                ofResponse(timeLocal),
	"upstream_addr":             attempts(peer),
	"upstream_bytes_received":   attempts(received),
	"upstream_bytes_sent":       attempts(sent),
	"upstream_connect_time":     attempts(connectTime),
	"upstream_header_time":      attempts(headerTime),
	"upstream_response_length":  attempts(length),
	"upstream_response_time":    attempts(responseTime),
	"upstream_status":           attempts(attemptStatus),
	"uri":                       ofRequest(func(r *Request) string { return r.Path }),

	// What makes these is refused or never done here, so they are never there.
	"gzip_ratio":                   absent,
	"limit_conn_status":            absent,
	"limit_req_status":             absent,
	"proxy_internal_body_length":   absent,
	"proxy_internal_chunked":       absent,
	"proxy_protocol_addr":          absent,
	"proxy_protocol_port":          absent,
	"proxy_protocol_server_addr":   absent,
	"proxy_protocol_server_port":   absent,
	"request_body_file":            absent,
	"ssl_alpn_protocol":            absent,
	"ssl_cipher":                   absent,
	"ssl_ciphers":                  absent,
	"ssl_client_cert":              absent,
	"ssl_client_escaped_cert":      absent,
	"ssl_client_fingerprint":       absent,
	"ssl_client_i_dn":              absent,
	"ssl_client_i_dn_legacy":       absent,
	"ssl_client_raw_cert":          absent,
	"ssl_client_s_dn":              absent,
	"ssl_client_s_dn_legacy":       absent,
	"ssl_client_serial":            absent,
	"ssl_client_sigalg":            absent,
	"ssl_client_v_end":             absent,
	"ssl_client_v_remain":          absent,
	"ssl_client_v_start":           absent,
	"ssl_client_verify":            absent,
	"ssl_curve":                    absent,
	"ssl_curves":                   absent,
	"ssl_early_data":               absent,
	"ssl_ech_outer_server_name":    absent,
	"ssl_ech_status":               absent,
	"ssl_protocol":                 absent,
	"ssl_server_name":              absent,
	"ssl_session_id":               absent,
	"ssl_session_reused":           absent,
	"ssl_sigalg":                   absent,
	"ssl_sigalgs":                  absent,
	"upstream_cache_age":           absent,
	"upstream_cache_etag":          absent,
	"upstream_cache_last_modified": absent,
	"upstream_cache_status":        absent,
}

// prefixes are the families, the longest first where one begins another.
var prefixes = []struct {
	prefix string
	read   reader
}{
	{"upstream_http_", upstreamHeader},
	{"upstream_trailer_", absent},
	{"upstream_cookie_", upstreamCookie},
	{"sent_http_", sentHeader},
	{"sent_trailer_", absent},
	{"proxy_protocol_tlv_", absent},
	{"http_", header},
	{"cookie_", cookie},
	{"arg_", argument},
}

// unknowable are nginx's variables that nobody here can tell, and why.
var unknowable = []struct {
	names []string
	why   string
}{
	{[]string{"document_root", "realpath_root", "request_filename"}, "depends on where files are, and no files are served"},
	{[]string{"tcpinfo_rtt", "tcpinfo_rttvar", "tcpinfo_snd_cwnd", "tcpinfo_rcv_space"}, "is the kernel's view of a connection"},
	{[]string{"connections_active", "connections_reading", "connections_waiting", "connections_writing"}, "counts what other connections do"},
	{[]string{"ancient_browser", "modern_browser", "msie"}, "is what the browser module makes of User-Agent"},
	{[]string{"geoip_area_code", "geoip_city", "geoip_city_continent_code", "geoip_city_country_code", "geoip_city_country_code3",
		"geoip_city_country_name", "geoip_country_code", "geoip_country_code3", "geoip_country_name", "geoip_dma_code",
		"geoip_latitude", "geoip_longitude", "geoip_org", "geoip_postal_code", "geoip_region", "geoip_region_name"},
		"is looked up in a database"},
	{[]string{"date_gmt", "date_local"}, "belongs to server side includes"},
	{[]string{"fastcgi_path_info", "fastcgi_script_name", "grpc_internal_trailers"}, "belongs to another way of passing on"},
	{[]string{"is_request_port", "request_port"}, "is new in nginx 1.29"},
	{[]string{"invalid_referer"}, "is what valid_referers makes"},
	{[]string{"secure_link", "secure_link_expires"}, "is what secure_link makes"},
	{[]string{"slice_range"}, "is what slice makes"},
	{[]string{"uid_got", "uid_reset", "uid_set"}, "is what userid makes"},
}

// Known says whether nginx has a variable of that name without the
// configuration making one. For any other that isn't made nginx says
// `unknown "x" variable` (ngx_http_variables_init_vars).
func Known(name string) bool {
	name = strings.ToLower(name)
	if _, ok := table[name]; ok {
		return true
	}
	return family(name) != nil || Unknowable(name) != ""
}

// Unknowable says why the value of one of nginx's variables can't be known here,
// "" if it can.
func Unknowable(name string) string {
	name = strings.ToLower(name)
	for _, u := range unknowable {
		if slices.Contains(u.names, name) {
			return u.why
		}
	}
	return ""
}

// find is the reader for a name in lower case.
func find(name string) reader {
	if r, ok := table[name]; ok {
		return r
	}
	if r := family(name); r != nil {
		return orOwn(r)
	}
	if r := streamOnly[name]; r != nil {
		return orOwn(r)
	}
	return own
}

// family is the reader for a name with a known prefix, nil for any other.
func family(name string) reader {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p.prefix) {
			return p.read
		}
	}
	return nil
}

// orOwn prefers a variable that the configuration made: `set $http_x` hides the
// header.
func orOwn(r reader) reader {
	return func(b []byte, f Facts, name string) ([]byte, bool) {
		if out, ok := own(b, f, name); ok {
			return out, true
		}
		return r(b, f, name)
	}
}

// own reads a variable that the configuration made.
func own(b []byte, f Facts, name string) ([]byte, bool) {
	get := f.Request().Own
	if get == nil {
		return b, false
	}
	v, ok := get(name)
	return append(b, v...), ok
}

func absent(b []byte, _ Facts, _ string) ([]byte, bool) { return b, false }
func empty(b []byte, _ Facts, _ string) ([]byte, bool)  { return b, true }
func zero(b []byte, _ Facts, _ string) ([]byte, bool)   { return append(b, '0'), true }
