package vectors

import (
	"fmt"
	"slices"
	"strings"
)

// way is a way in which A can fail, and what nginx makes of it. B is sound.
type way struct {
	name string
	do   string
	// flag lists it in proxy_next_upstream, "" for none that could.
	flag string
	// status is A's, and the client's where nobody else is tried.
	status int
	// sent is true where the request had been sent.
	sent bool
	// counted says when A counts a failure.
	counted counting
}

type counting string

const (
	always    counting = "always"    // whatever proxy_next_upstream says
	onlyTried counting = "onlyTried" // only where the next one is tried
	never     counting = "never"
)

// ways are all of nginx's: §7.1 of the semantics.
var ways = []way{
	{"refused", "refuse", "error", 502, false, always},
	{"reset", "reset", "error", 502, true, always},
	{"closed", "close", "error", 502, true, always},
	{"reset-in-header", "{reset: {at: header}}", "error", 502, true, always},
	{"no-connect", "blackhole", "timeout", 504, false, always},
	{"hung", "hang", "timeout", 504, true, always},
	{"slow-header", "{drip: {every: 300ms, bytes: 1, what: header}}", "timeout", 504, true, always},
	{"bad-header", "{malformed: header_line}", "invalid_header", 502, true, always},
	{"big-header", "{respond: {header_size: 5KiB}}", "invalid_header", 502, true, always},
	{"s500", "{status: 500}", "http_500", 500, true, onlyTried},
	{"s502", "{status: 502}", "http_502", 502, true, onlyTried},
	{"s503", "{status: 503}", "http_503", 503, true, onlyTried},
	{"s504", "{status: 504}", "http_504", 504, true, onlyTried},
	{"s429", "{status: 429}", "http_429", 429, true, onlyTried},
	{"s403", "{status: 403}", "http_403", 403, true, never},
	{"s404", "{status: 404}", "http_404", 404, true, never},
	{"s501", "{status: 501}", "", 501, true, never},
	{"s400", "{status: 400}", "", 400, true, never},
}

// flags are what is listed: nothing, each flag alone, and what goes with others.
var flags = []string{
	"", "error", "timeout", "invalid_header", "http_500", "http_502", "http_503", "http_504", "http_403", "http_404", "http_429",
	"non_idempotent", "off",
	everything, everything + " non_idempotent", everything + " non_idempotent off",
}

const everything = "error timeout invalid_header http_500 http_502 http_503 http_504 http_403 http_404 http_429"

// matrix is every way with every list, to a request that may be repeated and to
// one that may not; then the limits on how often and how long.
func matrix() []vector {
	var out []vector
	for _, w := range ways {
		for i, list := range flags {
			for _, method := range []string{"GET", "POST"} {
				words := strings.Fields(list)
				if list == "" {
					words = []string{"error", "timeout"}
				}
				tried := w.flag != "" && slices.Contains(words, w.flag) && !slices.Contains(words, "off") &&
					(method == "GET" || !w.sent || slices.Contains(words, "non_idempotent"))
				directive := ""
				if list != "" {
					directive = "proxy_next_upstream " + list + ";"
				}
				out = append(out, w.vector(fmt.Sprintf("m%d-%s-%s", i, w.name, strings.ToLower(method)), directive, method, tried))
			}
		}
		// One attempt is all: a status that can't lead on counts for nothing.
		out = append(out, w.vector("tries-"+w.name, "proxy_next_upstream "+everything+"; proxy_next_upstream_tries 1;", "GET", false))
		out = append(out, w.vector("twice-"+w.name, "proxy_next_upstream "+everything+"; proxy_next_upstream_tries 2;", "GET", w.flag != ""))
		// Half a second is over when an attempt has taken longer, and not before.
		late := w.name == "no-connect" || w.name == "hung" || w.name == "slow-header"
		out = append(out, w.vector("limit-"+w.name, "proxy_next_upstream "+everything+"; proxy_next_upstream_timeout 500ms;", "GET", w.flag != "" && !late))
		if strings.HasPrefix(w.do, "{status") {
			w.do = fmt.Sprintf("{status: {code: %d, after: 700ms}}", w.status)
			out = append(out, w.vector("late-"+w.name, "proxy_next_upstream "+everything+"; proxy_next_upstream_timeout 500ms;", "GET", false))
		}
	}
	out = append(out, limits...)
	for i := range out { // a few at a time
		out[i].load = []string{fmt.Sprintf("%s at: [%dms]", out[i].load[0], 100+100*(i%40))}
	}
	return out
}

// vector is one request to A and, where it is tried, to B.
func (w way) vector(name, directive, method string, tried bool) vector {
	v := vector{
		name: name, servers: "A; B", faults: map[string]string{"A": w.do}, load: []string{method},
		location: directive + " proxy_read_timeout 1s; proxy_connect_timeout 850ms;",
	}
	if tried {
		v.want = []string{fmt.Sprintf("200 1:%d+2:200", w.status)}
	} else {
		v.want = []string{fmt.Sprintf("%d 1:%d", w.status, w.status)}
	}
	if w.counted == always || w.counted == onlyTried && tried {
		v.marks = "A"
	}
	return v
}

// limits are those on several attempts.
var limits = []vector{
	{name: "tries-of-three", servers: "A; B; C", location: "proxy_next_upstream_tries 2;", faults: map[string]string{"A": "reset", "B": "reset", "C": "reset"},
		load: []string{"GET"}, want: []string{"502 1:502+2:502"}, marks: "A B"},
	// The last attempt that is allowed has the last word, and its status isn't counted.
	{name: "tries-end-with-a-status", servers: "A; B; C", location: nu503 + " proxy_next_upstream_tries 2;",
		faults: map[string]string{"A": "{status: 503}", "B": "{status: 503}", "C": "{status: 503}"},
		load:   []string{"GET"}, want: []string{"503 1:503+2:503"}, marks: "A"},
	{name: "more-tries-than-servers", servers: "A; B", location: "proxy_next_upstream_tries 9;", faults: map[string]string{"A": "reset", "B": "reset"},
		load: []string{"GET"}, want: []string{"502 1:502+2:502"}, marks: "A B"},
	// The second attempt begins within the limit and goes on beyond it.
	{name: "limit-interrupts-nothing", servers: "A; B; C", location: "proxy_next_upstream_timeout 500ms;", faults: map[string]string{"A": "reset", "B": "hang"},
		load: []string{"GET"}, want: []string{"504 1:502+2:504"}, marks: "A B"},
	{name: "limit-of-both", servers: "A; B; C", location: "proxy_next_upstream_timeout 1500ms; proxy_next_upstream_tries 2;", faults: map[string]string{"A": "hang", "B": "reset"},
		load: []string{"GET"}, want: []string{"502 1:504+2:502"}, marks: "A B"},
}
