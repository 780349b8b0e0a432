package upstream_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/proxy/upstream"
)

func version(t testing.TB, s string) upstream.Version {
	t.Helper()
	v, err := upstream.ParseVersion(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A branch without a third number is its last version, and the zero value the
// newest stable one.
func TestVersionsInOrder(t *testing.T) {
	for _, c := range []struct {
		v         string
		keeps     bool
		forgives  bool
		countDown bool
	}{
		{"1.9.13", false, true, true}, {"1.11.4", false, true, true}, {"1.11.5", false, false, true}, {"1.11", false, false, true},
		{"1.19.5", false, false, true}, {"1.19.6", false, false, false}, {"1.22", false, false, false},
		{"1.29.6", false, false, false}, {"1.29.7", true, false, false}, {"1.29", true, false, false}, {"2.0", true, false, false},
	} {
		v := version(t, c.v)
		if v.KeepsByDefault() != c.keeps || v.ForgivesWhenNoneIsLive() != c.forgives || v.CountsDown() != c.countDown {
			t.Errorf("%s: keeps %v, forgives %v, counts down %v", c.v, v.KeepsByDefault(), v.ForgivesWhenNoneIsLive(), v.CountsDown())
		}
		if v.String() != c.v {
			t.Errorf("%s is written %s", c.v, v)
		}
	}
	if d := upstream.Stable.Differences(upstream.Version{}); d != nil || (upstream.Version{}).String() != "1.30.4" {
		t.Errorf("the zero value is %s: %v", upstream.Version{}, d)
	}
}

// The last version before each switch turns and the first one behind it, as
// nginx's source has them at the two tags. A switch that isn't here fails, and
// so does one that Differences doesn't tell.
func TestSwitchesTurnWithTheirVersion(t *testing.T) {
	turns := map[string]struct {
		last, first string
		on          bool // in the first one
	}{
		"RepeatsAnyMethod":       {"1.9.12", "1.9.13", false}, // FT_NON_IDEMPOTENT
		"AlwaysRepeatsCached":    {"1.9.12", "1.9.13", false},
		"ForgivesWhenNoneIsLive": {"1.11.4", "1.11.5", false}, // "all peers failed, mark them as live"
		"RevivesAtConnect":       {"1.11.7", "1.11.8", true},  // notify_round_robin_peer
		"SearchesWholeRing":      {"1.13.5", "1.13.6", false}, // get_chash_peer
		"HasListed502":           {"1.13.6", "1.13.7", false}, // FT_HTTP_503 and _504 in upstream_next
		"CountsListedFirst":      {"1.13.10", "1.13.11", false},
		"LimitsIdle":             {"1.15.2", "1.15.3", true},  // keepalive_timeout
		"HashesEmptyKey":         {"1.17.0", "1.17.1", false}, // hp->key.len == 0
		"CountsDown":             {"1.19.5", "1.19.6", false},
		"LimitsAge":              {"1.19.9", "1.19.10", true}, // keepalive_time
		"RefusesOddNames":        {"1.21.0", "1.21.1", true},  // ngx_http_parse_header_line
		"RefusesOddLengths":      {"1.22.1", "1.23.0", true},  // ngx_http_upstream_process_content_length
		"JoinsHeaderLines":       {"1.22.1", "1.23.0", true},  // multi-header lines are lists
		"DropsRepeatedFields":    {"1.22.1", "1.23.0", true},  // ngx_http_upstream_process_header_line
		"LosesBeginOfRaw":        {"1.30.0", "1.30.1", false}, // header_name_start
		"TimesHandshakesOut":     {"1.11.5", "1.11.6", true},  // ngx_http_upstream_ssl_handshake
		"KeepsBehindChunks":      {"1.19.0", "1.19.1", false}, // ngx_http_proxy_chunked_filter
		"TakesOverruns":          {"1.17.3", "1.17.4", false}, // ngx_http_parse_chunked
		"FillsTimes":             {"1.15.6", "1.15.7", false}, // ngx_http_upstream_response_time_variable
		"PassesMore":             {"1.19.0", "1.19.1", false}, // ngx_http_proxy_copy_filter
		"KeepsBehindNothing":     {"1.21.3", "1.21.4", false}, // ngx_http_proxy_non_buffered_copy_filter
		"StopsAtSecondHints":     {"1.29.7", "1.29.8", false}, // "goto again"
		"ClearsSingle":           {"1.27.2", "1.27.3", true},  // free_round_robin_peer
		"TakesEarlyHints":        {"1.28.3", "1.29.0", true},  // process_early_hints
		"WantsCRLFInChunks":      {"1.29.3", "1.29.4", true},  // ngx_http_parse_chunked
		"KeepsByDefault":         {"1.29.6", "1.29.7", true},  // keepalive ... local

		"RefusesSecondRange":              {"1.10.3", "1.11.0", true},  // ngx_http_headers_in
		"CutsLastDots":                    {"1.17.4", "1.17.5", true},  // ngx_http_parse_complex_uri
		"RefusesSecondHost":               {"1.17.8", "1.17.9", true},  // ngx_http_process_host
		"RefusesSecondCoding":             {"1.17.8", "1.17.9", true},  // ngx_http_headers_in
		"TakesBareQuery":                  {"1.19.5", "1.19.6", true},  // empty_path_in_uri
		"RefusesOddTargets":               {"1.21.0", "1.21.1", true},  // ngx_http_parse_request_line
		"RefusesConnect":                  {"1.21.0", "1.21.1", true},  // ngx_http_process_request_header
		"RefusesLengthOfChunks":           {"1.21.0", "1.21.1", true},  // ngx_http_process_request_header
		"RefusesChunksOf10":               {"1.21.1", "1.21.2", true},  // ngx_http_process_request_header
		"ConnectNamesHost":                {"1.29.2", "1.29.3", true},  // sw_spaces_before_host
		"RefusesOddHosts":                 {"1.29.3", "1.29.4", true},  // ngx_http_validate_host
		"RefusesSecondProxyAuthorization": {"1.29.6", "1.29.7", true},  // ngx_http_headers_in
		"TakesForwardedPorts":             {"1.10.3", "1.11.0", true},  // ngx_parse_addr_port
		"TakesForwardedBrackets":          {"1.27.2", "1.27.3", true},  // ngx_parse_addr_port
		"SplitsCookiesAtCommas":           {"1.29.5", "1.29.6", false}, // ngx_http_parse_cookie_lines
		"TellsClose":                      {"1.21.5", "1.21.6", true},  // ngx_http_header_filter
		"DropsProxyConnection":            {"1.30.4", "1.31.0", true},  // ngx_http_proxy_headers
		"SendsHostFirst":                  {"1.31.3", "1.31.4", true},  // plcf->host_value
		"KeepsStatusOfErrors":             {"1.15.3", "1.15.4", false}, // ngx_http_rewrite_handler
		"KeepsClientsLong":                {"1.19.9", "1.19.10", true}, // keepalive_requests of ngx_http_core_merge_loc_conf
		"NoticesEarlyEnd":                 {"1.19.8", "1.19.9", true},  // ngx_http_upstream_init_request
		"TakesDashesInMethods":            {"1.11.4", "1.11.5", true},  // ngx_http_parse_request_line
		"Redirects308":                    {"1.12.2", "1.13.0", true},  // ngx_http_send_response
		"RefusesHTTP2":                    {"1.13.0", "1.13.1", true},  // NGX_HTTP_PARSE_INVALID_VERSION
		"Hides494":                        {"1.17.8", "1.17.9", true},  // ngx_http_core_error_page
		"EscapesAll":                      {"1.21.0", "1.21.1", true},  // ngx_escape_uri
		"LimitsHeaders":                   {"1.29.7", "1.29.8", true},  // max_headers
	}
	together := map[string]int{} // the switches that are told of a step
	for name, c := range turns {
		if name != "AlwaysRepeatsCached" { // told with RepeatsAnyMethod
			together[c.last]++
		}
	}
	together[turns["TakesEarlyHints"].last]++ // StopsAtSecondHints began with it
	kind := reflect.TypeFor[upstream.Version]()
	for i := range kind.NumMethod() {
		m := kind.Method(i)
		ask, ok := m.Func.Interface().(func(upstream.Version) bool)
		if !ok || m.Name == "IsZero" || m.Name == "Unread" {
			continue
		}
		c, ok := turns[m.Name]
		if !ok {
			t.Errorf("%s turns with no version", m.Name)
			continue
		}
		last, first := version(t, c.last), version(t, c.first)
		if ask(last) == c.on || ask(first) != c.on {
			t.Errorf("%s: %v in %s, %v in %s", m.Name, ask(last), last, ask(first), first)
		}
		if d := last.Differences(first); len(d) != together[c.last] {
			t.Errorf("%s, which turns from %s to %s: told are %q", m.Name, last, first, d)
		}
		delete(turns, m.Name)
	}
	if len(turns) != 0 {
		t.Errorf("nobody asks %v", turns)
	}
}

// A version of a branch behind the newest one that was read goes by that one's rules.
func TestUnreadVersions(t *testing.T) {
	for v, want := range map[string]bool{"1.29.9": false, "1.30": false, "1.30.9": false, "1.31.0": true, "2.0": true} {
		if got := version(t, v).Unread(); got != want {
			t.Errorf("%s: unread is %v", v, got)
		}
	}
	if (upstream.Version{}).Unread() {
		t.Error("the zero value is unread")
	}
}

func TestNoVersions(t *testing.T) {
	for s, want := range map[string]string{
		"":        `want a version of nginx such as 1.22 or 1.22.1, got ""`,
		"1":       `want a version of nginx such as 1.22 or 1.22.1, got "1"`,
		"1.22.x":  `want a version of nginx such as 1.22 or 1.22.1, got "1.22.x"`,
		"1.+2":    `want a version of nginx such as 1.22 or 1.22.1, got "1.+2"`,
		"1.2.3.4": `want a version of nginx such as 1.22 or 1.22.1, got "1.2.3.4"`,
		"1.9.9":   "1.9.9 is older than 1.9.10, the oldest that is modelled",
		"0.8.55":  "0.8.55 is older than 1.9.10, the oldest that is modelled",
	} {
		if v, err := upstream.ParseVersion(s); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, %v, want %s", s, v, err, want)
		}
	}
}

// What one version does and another doesn't, in words.
func TestDifferences(t *testing.T) {
	got := version(t, "1.10").Differences(version(t, "1.22.1"))
	want := []string{
		"only 1.10 forgets failures when no peer is live",
		"only 1.10 notes a listed 503 as 502",
		"only 1.10 counts a listed status before it asks whether it may go on",
		"only 1.10 counts servers that are down as tries",
		"only 1.10 searches the whole ring of a consistent hash",
		"only 1.10 hashes an empty key",
		"only 1.22.1 refuses odd names of headers",
		"only 1.22.1 takes a handshake that is late for a time-out",
		"only 1.10 keeps a connection with data behind the last chunk",
		"only 1.10 passes on what comes behind Content-Length",
		"only 1.10 keeps an unbuffered connection with data behind no body",
		"only 1.10 passes over what a chunk has too much",
		"only 1.10 fills the times of what did not happen",
		"only 1.22.1 revives a server of stream at its connect",
		"only 1.22.1 limits how long connections idle",
		"only 1.22.1 limits the age of connections",
		"only 1.22.1 refuses a second Content-Range",
		"only 1.22.1 takes ports of forwarded addresses",
		"only 1.22.1 takes the dots at a path's end out",
		"only 1.22.1 refuses a second Host",
		"only 1.22.1 refuses a second Transfer-Encoding",
		"only 1.22.1 takes a query without a path",
		"only 1.22.1 refuses odd targets of requests",
		"only 1.22.1 refuses CONNECT",
		"only 1.22.1 refuses a length beside chunks",
		"only 1.22.1 refuses chunks of HTTP/1.0",
		"only 1.22.1 tells its clients that it shuts down",
		"only 1.10 keeps an error's status behind error_page",
		"only 1.22.1 keeps clients' connections for 1000 requests",
		"only 1.22.1 notices a client's end that comes with its request",
		"only 1.22.1 takes a dash in a method",
		"only 1.22.1 takes 308 for a redirect",
		"only 1.22.1 refuses HTTP/2.0 in a request line",
		"only 1.22.1 hides 494 behind error_page",
		"only 1.22.1 escapes all that no path may have",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want -, got +\n%s", d)
	}
	if d := version(t, "1.22.1").Differences(version(t, "1.22")); d != nil {
		t.Errorf("one branch differs: %s", strings.Join(d, "; "))
	}
}

// How often and how long a connection may be used without a directive.
func TestKeepaliveDefaultsOfVersions(t *testing.T) {
	for _, c := range []struct {
		v         string
		requests  int // the first number of exchanges that is too many, 0 for none
		idle, age bool
	}{
		{"1.15.2", 0, false, false}, {"1.15.3", 100, true, false}, {"1.19.9", 100, true, false}, {"1.19.10", 1000, true, true},
	} {
		block := upstream.Config{Keepalive: upstream.KeepaliveConfig{Connections: 1}, Version: version(t, c.v)}
		stored := func(s upstream.Served, at time.Duration) bool { return upstream.NewCache(block).Store(s, at) == 0 }
		for _, n := range []int{99, 100, 999, 1000, 1 << 40} {
			want := c.requests == 0 || n < c.requests
			if stored(upstream.Served{Conn: 1, Requests: n}, 0) != want {
				t.Errorf("%s: kept after %d exchanges: %v", c.v, n, !want)
			}
		}
		if old := stored(upstream.Served{Conn: 1, Requests: 1}, 2*time.Hour); old == c.age {
			t.Errorf("%s: kept when two hours old: %v", c.v, old)
		}
		if most := block.Keepalive.For(block.Version).Timeout; (most == time.Minute) != c.idle {
			t.Errorf("%s: idles for %v at most", c.v, most)
		}
	}
}
