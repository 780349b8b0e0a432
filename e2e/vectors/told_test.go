package vectors

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/agree"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/upstream"
)

// tb is a testing.T or Ginkgo's.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

// about says whether the row is about a version of nginx.
func (v *vector) about(of upstream.Version) bool {
	return (v.since == "" || of.Since(v.since)) && (v.before == "" || !of.Since(v.before))
}

// as is the version itself if the row is about it, else one that it is about.
func (v *vector) as(t tb, of upstream.Version) upstream.Version {
	t.Helper()
	one := v.version
	switch {
	case v.about(of):
		return of
	case one == "":
		one = v.since
	}
	other, err := upstream.ParseVersion(one)
	if err != nil || !v.about(other) {
		t.Fatalf("%s: the row isn't about nginx %q", v.name, one)
	}
	return other
}

// scenario is the vector as a scenario, for a version of nginx if the row is about
// it; n tells its port apart.
func (v *vector) scenario(t tb, n int, of upstream.Version) *agree.Case {
	t.Helper()
	version := v.as(t, of)
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\nproxy:\n  nginx: |\n    upstream %s {\n", v.name, v.name)
	for line := range strings.SplitSeq(v.servers, "; ") {
		name, rest, _ := strings.Cut(line, " ")
		if !strings.Contains(rest, "fail_timeout") {
			rest += " fail_timeout=5s"
		}
		fmt.Fprintf(&b, "      server %s %s;\n", v.peer(name), rest)
	}
	location := v.location
	if v.keepalive {
		b.WriteString("      keepalive 8;\n")
		location += ` proxy_http_version 1.1; proxy_set_header Connection "";`
	}
	if !strings.Contains(location, "proxy_read_timeout") {
		location += " proxy_read_timeout 1s;"
	}
	fmt.Fprintf(&b, "    }\n    server {\n      listen %d;\n      location / { proxy_pass http://%s; %s }\n    }\n", 3000+n, v.name, location)
	if len(v.faults) > 0 {
		b.WriteString("backends:\n")
	}
	for _, name := range []string{"A", "B", "C"} {
		rules, ok := v.faults[name]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "  %s:\n", v.peer(name))
		for rule := range strings.SplitSeq(rules, " | ") {
			when, do, ok := strings.Cut(rule, " -> ")
			if !ok {
				fmt.Fprintf(&b, "    - do: %s\n", rule)
				continue
			}
			fmt.Fprintf(&b, "    - when: {%s}\n      do: %s\n", when, do)
		}
	}
	b.WriteString("traffic:\n")
	for i, l := range v.load {
		method, words, _ := strings.Cut(l, " ")
		fmt.Fprintf(&b, "  %s-t%d: {request: %s /, to: \"%d\", %s}\n", v.name, i, method, 3000+n, words)
	}
	fmt.Fprintf(&b, "expect:\n  - fan_out: {of: %s-t0, each: 0..9}\n", v.name)
	f, problems := scenario.Parse(v.name+".yaml", []byte(b.String()), nil)
	if err := problems.Err(); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	cases, err := agree.Cases(f, version)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return cases[0]
}

// peer is the full name of a server.
func (v *vector) peer(name string) string { return v.name + "-" + strings.ToLower(name) + ":80" }

// letter is the inverse of peer.
func (v *vector) letter(peer string) string {
	return strings.ToUpper(strings.TrimSuffix(strings.TrimPrefix(peer, v.name+"-"), ":80"))
}

// told is one request in the table's words.
type told struct {
	sent      time.Duration
	status    int
	attempts  []string
	peers     []string
	answered  string // by whom
	truncated bool
	took      time.Duration
}

// String is "504 1:502+2:504".
func (t *told) String() string {
	return fmt.Sprintf("%03d %s", t.status, strings.Join(t.attempts, "+"))
}

// tell puts a run in the table's words, in the order of sending; out are the
// peers whose last attempt marked them.
func (v *vector) tell(r *harness.Result) (requests []*told, out []string) {
	by := map[event.Request]*told{}
	marked := map[string]bool{}
	for _, e := range r.Events {
		if e.Request == (event.Request{}) {
			continue
		}
		t := by[e.Request]
		if t == nil {
			t = &told{}
			by[e.Request] = t
			requests = append(requests, t)
		}
		switch e.Kind {
		case event.RequestSent:
			t.sent = e.At
		case event.AttemptStarted:
			t.peers = append(t.peers, v.letter(e.Peer))
		case event.AttemptEnded:
			status := strconv.Itoa(e.Status)
			if e.Status == 0 || e.Outcome == event.Aborted {
				status = "-"
			}
			name := v.letter(e.Peer)
			t.attempts = append(t.attempts, fmt.Sprintf("%d:%s", name[0]-'A'+1, status))
			if e.Outcome == event.Passed || e.Outcome == event.Truncated {
				t.answered = name
			}
			marked[name] = false
		case event.PeerMarked:
			marked[v.letter(e.Peer)] = true
		case event.NoLive:
			t.attempts = append(t.attempts, "u:502")
		case event.ProxyAnswered:
			t.status = e.Status
		case event.ResponseEnded:
			t.truncated, t.took = e.Outcome == event.Truncated, e.At-t.sent
		}
	}
	slices.SortStableFunc(requests, func(a, b *told) int { return int(a.sent - b.sent) })
	for name, is := range marked {
		if is {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return requests, out
}

// wrong says what of a run isn't as the table has it.
func (v *vector) wrong(r *harness.Result) []string {
	var wrong []string
	add := func(format string, args ...any) { wrong = append(wrong, v.name+": "+fmt.Sprintf(format, args...)) }
	requests, out := v.tell(r)
	if v.want != nil && len(requests) != len(v.want) {
		add("%d requests, want %d", len(requests), len(v.want))
		return wrong
	}
	tried, answered := map[string]int{}, map[string]int{}
	for i, t := range requests {
		if v.want != nil && t.String() != v.want[i] {
			add("request %d: %v, want %s", i+1, t, v.want[i])
		}
		if v.want != nil && t.truncated != slices.Contains(v.truncated, i+1) {
			add("request %d: truncated is %v", i+1, t.truncated)
		}
		if i+1 == v.slow && (t.took < 900*time.Millisecond || t.took > 1300*time.Millisecond) {
			add("request %d took %v, want a second", i+1, t.took)
		}
		for _, p := range t.peers {
			tried[p]++
		}
		answered[t.answered]++
	}
	for _, w := range v.picked {
		n := 0
		for _, t := range requests {
			if ms := int(t.sent.Milliseconds()); ms >= w.from && ms <= w.until && slices.Contains(t.peers, "A") {
				n++
			}
		}
		if n != w.times {
			add("A was picked %d times from %d to %d ms, want %d", n, w.from, w.until, w.times)
		}
	}
	for name, n := range v.tried {
		if tried[name] != n {
			add("%s was tried %d times, want %d", name, tried[name], n)
		}
	}
	for name, n := range v.answered {
		if answered[name] != n {
			add("%s answered %d times, want %d", name, answered[name], n)
		}
	}
	if got := strings.Join(out, " "); len(v.picked) == 0 && got != v.marks {
		add("out at the end: %q, want %q", got, v.marks)
	}
	return wrong
}
