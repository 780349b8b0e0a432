package vectors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
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
// one that may not; then the limits on how often and how long. It is that of a version
// of nginx.
func matrix(of upstream.Version) []vector {
	var out []vector
	everything := strings.Join(known(of, everything), " ")
	for _, w := range ways {
		if w.name == "bad-header" && !of.RefusesOddNames() {
			continue // a line without a colon is a header
		}
		for i, list := range flags {
			if len(known(of, list)) == 0 && list != "" {
				continue // nginx refuses it
			}
			for _, method := range []string{"GET", "POST"} {
				words := known(of, list)
				directive := ""
				if list == "" {
					words = []string{"error", "timeout"}
				} else {
					directive = "proxy_next_upstream " + strings.Join(words, " ") + ";"
				}
				listed := w.listed(words)
				tried := listed && (method == "GET" || !w.sent || slices.Contains(words, "non_idempotent") || of.RepeatsAnyMethod())
				out = append(out, w.vector(of, fmt.Sprintf("m%d-%s-%s", i, w.name, strings.ToLower(method)), directive, method, listed, tried))
			}
		}
		listed := w.listed(strings.Fields(everything))
		// One attempt is all: a status that can't lead on counts for nothing.
		out = append(out, w.vector(of, "tries-"+w.name, "proxy_next_upstream "+everything+"; proxy_next_upstream_tries 1;", "GET", false, false))
		out = append(out, w.vector(of, "twice-"+w.name, "proxy_next_upstream "+everything+"; proxy_next_upstream_tries 2;", "GET", listed, listed))
		// Half a second is over when an attempt has taken longer, and not before.
		late := w.name == "no-connect" || w.name == "hung" || w.name == "slow-header"
		out = append(out, w.vector(of, "limit-"+w.name, "proxy_next_upstream "+everything+"; proxy_next_upstream_timeout 500ms;", "GET", listed, listed && !late))
		if strings.HasPrefix(w.do, "{status") {
			w.do = fmt.Sprintf("{status: {code: %d, after: 700ms}}", w.status)
			out = append(out, w.vector(of, "late-"+w.name, "proxy_next_upstream "+everything+"; proxy_next_upstream_timeout 500ms;", "GET", listed, false))
		}
	}
	out = append(out, limits...)
	for i := range out { // a few at a time
		out[i].load = []string{fmt.Sprintf("%s at: [%dms]", out[i].load[0], 100+100*(i%40))}
	}
	return out
}

// known are the words of a list that a version knows.
func known(of upstream.Version, list string) []string {
	return slices.DeleteFunc(strings.Fields(list), func(word string) bool {
		return word == "non_idempotent" && !of.Since("1.9.13") || word == "http_429" && !of.Since("1.11.13")
	})
}

// listed says whether the way is one that the words name.
func (w way) listed(words []string) bool {
	return w.flag != "" && slices.Contains(words, w.flag) && !slices.Contains(words, "off")
}

// vector is one request to A and, where it is tried, to B.
func (w way) vector(of upstream.Version, name, directive, method string, listed, tried bool) vector {
	v := vector{
		name: name, servers: "A; B", faults: map[string]string{"A": w.do}, load: []string{method},
		location: directive + " proxy_read_timeout 1s; proxy_connect_timeout 850ms;",
	}
	status := w.status
	// Before 1.13.11 a listed status was given up before nginx asked whether another
	// try is allowed, and before 1.13.7 it was noted as 502 if it is a 503 or a 504.
	gaveUp := tried || listed && w.counted != always && !of.Since("1.13.11")
	if gaveUp && w.counted == onlyTried && (status == 503 || status == 504) && !of.Since("1.13.7") {
		status = 502
	}
	if tried {
		v.want = []string{fmt.Sprintf("200 1:%d+2:200", status)}
	} else {
		v.want = []string{fmt.Sprintf("%d 1:%d", status, status)}
	}
	if w.counted == always || w.counted == onlyTried && gaveUp {
		v.marks = "A"
	}
	return v
}

// limits are those on several attempts.
var limits = []vector{
	{name: "tries-of-three", servers: "A; B; C", location: "proxy_next_upstream_tries 2;", faults: map[string]string{"A": "reset", "B": "reset", "C": "reset"},
		load: []string{"GET"}, want: []string{"502 1:502+2:502"}, marks: "A B"},
	// The last attempt that is allowed has the last word, and its status isn't counted.
	{name: "tries-end-with-a-status", since: "1.13.7", servers: "A; B; C", location: nu503 + " proxy_next_upstream_tries 2;",
		faults: map[string]string{"A": "{status: 503}", "B": "{status: 503}", "C": "{status: 503}"},
		load:   []string{"GET"}, want: []string{"503 1:503+2:503"}, marks: "A"},
	{name: "tries-end-with-a-status-old", before: "1.13.7", version: "1.13.6", servers: "A; B; C", location: nu503 + " proxy_next_upstream_tries 2;",
		faults: map[string]string{"A": "{status: 503}", "B": "{status: 503}", "C": "{status: 503}"},
		load:   []string{"GET"}, want: []string{"503 1:502+2:503"}, marks: "A"},
	{name: "more-tries-than-servers", servers: "A; B", location: "proxy_next_upstream_tries 9;", faults: map[string]string{"A": "reset", "B": "reset"},
		load: []string{"GET"}, want: []string{"502 1:502+2:502"}, marks: "A B"},
	// The second attempt begins within the limit and goes on beyond it.
	{name: "limit-interrupts-nothing", servers: "A; B; C", location: "proxy_next_upstream_timeout 500ms;", faults: map[string]string{"A": "reset", "B": "hang"},
		load: []string{"GET"}, want: []string{"504 1:502+2:504"}, marks: "A B"},
	{name: "limit-of-both", servers: "A; B; C", location: "proxy_next_upstream_timeout 1500ms; proxy_next_upstream_tries 2;", faults: map[string]string{"A": "hang", "B": "reset"},
		load: []string{"GET"}, want: []string{"502 1:504+2:502"}, marks: "A B"},
}
