package sim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/harness/sim"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// incident builds a scenario from nginx text; rules go to the backend named.
func incident(t testing.TB, nginx string, rules map[string]fault.Rules, traffic ...scenario.Traffic) *scenario.Scenario {
	t.Helper()
	tree, problems := nginxconf.Parse("nginx.conf", []byte(nginx), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	cfg, problems := nginxconf.Interpret(tree)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := &scenario.Scenario{Name: "test", Nginx: cfg, Traffic: traffic}
	for _, b := range cfg.Backends {
		s.Backends = append(s.Backends, scenario.Backend{Name: b, Rules: rules[b]})
	}
	return s
}

// run simulates with seed 1 and returns the events.
func run(t testing.TB, s *scenario.Scenario) []event.Event {
	t.Helper()
	var out []event.Event
	_, err := sim.Run(context.Background(), sim.Options{
		Plan: plan.New(s, 1),
		Sink: event.SinkFunc(func(e event.Event) { out = append(out, e) }),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// eventsOf runs a scenario as a file has it.
func eventsOf(t *testing.T, text string) []event.Event {
	t.Helper()
	f, problems := scenario.Parse("x.yaml", []byte(text), nil)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return run(t, f.Scenarios[0])
}

// story writes the events of some kinds in short.
func story(events []event.Event, kinds ...event.Kind) []string {
	var out []string
	for _, e := range events {
		for _, k := range kinds {
			if e.Kind == k {
				line := fmt.Sprintf("%v %v", e.At, e.Kind)
				for _, part := range []string{e.Peer, e.Outcome.String(), e.Detail} {
					if part != "" {
						line += " " + part
					}
				}
				if e.Status != 0 {
					line += fmt.Sprint(" ", e.Status)
				}
				out = append(out, line)
			}
		}
	}
	return out
}

func get(name, path string, times int, pause time.Duration) scenario.Traffic {
	return scenario.Traffic{Name: name, Method: "GET", Path: path,
		Load: scenario.Load{Times: times, Pause: scenario.Interval{Lo: pause, Hi: pause}}}
}

var frozen = fault.Rules{{Do: fault.Fault{Door: fault.Frozen}}}

// The figures are those that nginx 1.22.1 gives in real time: 1, 11, 21 and 31
// are slow, the backend is out for 50 s after each mark.
func TestCurlLoop(t *testing.T) {
	s := incident(t, `upstream u {
		server a max_fails=1 fail_timeout=30s;
		server b max_fails=1 fail_timeout=30s;
		server c max_fails=1 fail_timeout=30s;
	}
	server { location /api/ { proxy_pass http://u/; } }`,
		map[string]fault.Rules{"a": frozen}, get("curl", "/api/", 36, 5*time.Second))
	events := run(t, s)
	var slow []int
	sent := map[event.Request]time.Duration{}
	var marks []time.Duration
	for _, e := range events {
		switch e.Kind {
		case event.RequestSent:
			sent[e.Request] = e.At
		case event.ResponseEnded:
			if e.Status != 200 {
				t.Errorf("%v got %d", e.Request, e.Status)
			}
			if e.At-sent[e.Request] > 59*time.Second {
				slow = append(slow, e.Request.N)
			}
		case event.PeerMarked:
			marks = append(marks, e.At)
		}
	}
	if diff := cmp.Diff([]int{1, 11, 21, 31}, slow); diff != "" {
		t.Errorf("slow requests: want -, got +\n%s", diff)
	}
	want := []time.Duration{60 * time.Second, 170 * time.Second, 280 * time.Second, 390 * time.Second}
	if diff := cmp.Diff(want, marks); diff != "" {
		t.Errorf("marks: want -, got +\n%s", diff)
	}
}

// A stopped process acts at its thaw: what it would have done meanwhile happens
// then, and it reads what lay in its queue, also from clients that left.
func TestThaw(t *testing.T) {
	s := incident(t, `upstream u { server a; server b; }
	server { location / { proxy_pass http://u; proxy_read_timeout 5s; } }`,
		map[string]fault.Rules{"a": {{
			When: fault.When{From: time.Second, Until: 10 * time.Second},
			Do:   fault.Fault{Door: fault.Frozen},
		}}},
		scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{2 * time.Second}}},
		scenario.Traffic{Name: "y", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{11 * time.Second}}})
	want := []string{
		"1s fault_on a freeze",
		"2s attempt a",
		"7s ended a read_timeout 504",
		"7s attempt b",
		"7s got b",
		"7s ended b passed 200",
		"10s fault_off a freeze",
		"10s got a",
		"11s attempt b",
		"11s got b",
		"11s ended b passed 200",
	}
	got := story(run(t, s), event.FaultOn, event.FaultOff, event.AttemptStarted, event.AttemptEnded, event.BackendGot)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

// A port that closes takes the open connections with it; while it is closed a
// connect is refused, which nginx retries even for a POST.
func TestRefuseWindow(t *testing.T) {
	slow := fault.Respond(fault.RespondSpec{After: fault.For(10 * time.Second)})
	s := incident(t, `upstream u { server a; server b; }
	server { location / { proxy_pass http://u; } }`,
		map[string]fault.Rules{"a": {
			{When: fault.When{From: 4 * time.Second, Until: 30 * time.Second}, Do: fault.Fault{Door: fault.Refusing}},
			{Do: fault.Fault{Script: slow}},
		}},
		scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{0}}},
		scenario.Traffic{Name: "y", Method: "POST", Path: "/", Load: scenario.Load{At: []time.Duration{20 * time.Second, 20 * time.Second, 20 * time.Second}}})
	want := []string{
		"0s attempt a", "4s ended a closed 502", "4s marked a closed 502", "4s attempt b", "4s ended b passed 200",
		"20s attempt b", "20s ended b passed 200",
		"20s attempt b", "20s ended b passed 200",
		"20s attempt a", "20s ended a refused 502", "20s marked a refused 502", "20s attempt b", "20s ended b passed 200",
	}
	got := story(run(t, s), event.AttemptStarted, event.AttemptEnded, event.PeerMarked)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

func TestClientTimeout(t *testing.T) {
	for _, c := range []struct {
		name, directive string
		want            []string
	}{
		{"nginx closes the attempt too", "", []string{
			"0s attempt a", "3s ended a aborted", "3s answered 499", "3s response client_timeout",
		}},
		{"or goes on when told to", "proxy_ignore_client_abort on;", []string{
			"0s attempt a", "3s response client_timeout", "8s ended a read_timeout 504", "8s marked a read_timeout 504",
			"8s attempt b", "8s ended b passed 200", "8s answered 200",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := incident(t, `upstream u { server a; server b; }
			server { location / { proxy_pass http://u; proxy_read_timeout 8s; `+c.directive+` } }`,
				map[string]fault.Rules{"a": frozen},
				scenario.Traffic{Name: "x", Method: "GET", Path: "/",
					Load: scenario.Load{At: []time.Duration{0}}, Client: scenario.Client{Timeout: 3 * time.Second}})
			got := story(run(t, s), event.AttemptStarted, event.AttemptEnded, event.PeerMarked, event.ProxyAnswered, event.ResponseEnded)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
		})
	}
}

// A connection may end before anything is read, at once or later, and a process
// that goes away resets what it never read.
func TestEndsBeforeTheRequestIsRead(t *testing.T) {
	const nginx = `upstream u { server a; server b; }
	server { location / { proxy_pass http://u; } }`
	once := scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{0}}}
	for _, c := range []struct {
		name  string
		rules fault.Rules
		want  string
		cut   string // what is told of the backend
	}{
		{"reset at accept", fault.Rules{{Do: fault.Fault{AtAccept: fault.Reset}}}, "0s ended a reset 502", "0s cut a reset"},
		{"close 2 s after accept", fault.Rules{{Do: fault.Fault{AtAccept: fault.Close, AcceptAfter: 2 * time.Second}}}, "2s ended a closed 502", "0s cut a close"},
		{"about to be cut, then gone", fault.Rules{
			{When: fault.When{From: time.Second}, Do: fault.Fault{Door: fault.Refusing}},
			{Do: fault.Fault{AtAccept: fault.Close, AcceptAfter: 2 * time.Second}},
		}, "1s ended a reset 502", "0s cut a close"},
		{"frozen, then gone", fault.Rules{
			{When: fault.When{Until: 5 * time.Second}, Do: fault.Fault{Door: fault.Frozen}},
			{When: fault.When{From: 5 * time.Second}, Do: fault.Fault{Door: fault.Refusing}},
		}, "5s ended a reset 502", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			events := run(t, incident(t, nginx, map[string]fault.Rules{"a": c.rules}, once))
			if got := story(events, event.AttemptEnded); len(got) == 0 || got[0] != c.want {
				t.Errorf("got %q, want %q first", got, c.want)
			}
			if got := strings.Join(story(events, event.BackendCut), ", "); got != c.cut {
				t.Errorf("told %q, want %q", got, c.cut)
			}
		})
	}
}

// A streamed body is sent once; one that was there at once is sent again; and what
// an error page leads to gets none of it.
func TestStreamedBody(t *testing.T) {
	reset := mustFault(t, &fault.ResetSpec{})
	for _, c := range []struct {
		name, location string
		body           int64
		want           []string
	}{
		{"streamed", "", 200 << 10, []string{"0s ended a reset 502"}},
		{"short", "", 8 << 10, []string{"0s ended a reset 502", "0s ended b passed 200"}},
		{"a small buffer", "client_body_buffer_size 1k;", 8 << 10, []string{"0s ended a reset 502"}},
		{"a body of its own", `proxy_set_body x;`, 200 << 10, []string{"0s ended a reset 502", "0s ended b passed 200"}},
		{"an error page", "error_page 502 = @other;", 200 << 10, []string{"0s ended a reset 502", "2s ended c read_timeout 504"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := incident(t, `upstream u { server a; server b; } upstream v { server c; }
			server { proxy_request_buffering off; proxy_read_timeout 2s;
				location / { proxy_pass http://u; `+c.location+` } location @other { proxy_pass http://v; } }`,
				map[string]fault.Rules{"a": {{Do: reset}}},
				scenario.Traffic{Name: "x", Method: "PUT", Path: "/", Body: c.body, Load: scenario.Load{At: []time.Duration{0}}})
			if diff := cmp.Diff(c.want, story(run(t, s), event.AttemptEnded)); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
		})
	}
}

func mustFault(t testing.TB, s fault.Spec) fault.Fault {
	t.Helper()
	f, err := s.Fault()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A session meets a barrier, a slow accept and an upgrade as a request does. The
// story is what nginx 1.22.1 did too.
func TestSessionsWait(t *testing.T) {
	fault1 := func(s fault.Spec) fault.Fault {
		f, err := s.Fault()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	barrier := func(n int) fault.Fault {
		f, err := fault.Compose(fault1(&fault.WaitForSpec{Backend: "a:80", Requests: n}), fault1(&fault.RespondSpec{}))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	only := func(n int) fault.When { return fault.When{Request: fault.Range{From: n, To: n}} }
	s := incident(t, `stream { upstream u { server a:80; } server { listen 80; proxy_pass u; proxy_timeout 3s; } }`,
		map[string]fault.Rules{"a:80": {
			{Do: fault.Fault{AcceptEvery: time.Second / 2}},
			{When: only(1), Do: barrier(2)}, {When: only(3), Do: barrier(9)},
			{When: only(4), Do: fault1(&fault.UpgradeSpec{Then: "cut", Lasts: time.Second})},
		}},
		scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{
			At: []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 10 * time.Second}}})
	want := []string{
		"1.5s got a:80 wait_for+respond", "2.5s got a:80", "2.5s response passed 200", "2.5s response passed 200",
		"3.5s got a:80 wait_for+respond", "6s response closed", "10.5s got a:80 upgrade", "11.5s response passed 101",
	}
	got := story(run(t, s), event.BackendGot, event.ResponseEnded)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

// The end of a port resets what waits to be accepted, for room or for its turn. The
// outcomes are those of nginx 1.22.1.
func TestClosingThePortResetsWhatWaits(t *testing.T) {
	slow := fault.Fault{Script: fault.Respond(fault.RespondSpec{After: fault.For(5 * time.Second)})}
	for _, c := range []struct {
		door fault.Door
		do   fault.Fault
		want []string
	}{
		{fault.Refusing, fault.Fault{Limit: &fault.Limit{Max: 1}}, []string{"4s ended a closed 502", "4s ended a reset 502"}},
		{fault.Stopping, fault.Fault{Limit: &fault.Limit{Max: 1}}, []string{"4s ended a reset 502", "6s ended a passed 200"}},
		{fault.Refusing, fault.Fault{AcceptEvery: time.Minute}, []string{"4s ended a reset 502", "4s ended a reset 502"}},
		{fault.Stopping, fault.Fault{AcceptEvery: time.Minute}, []string{"4s ended a reset 502", "4s ended a reset 502"}},
	} {
		s := incident(t, `server { location / { proxy_pass http://a; } }`,
			map[string]fault.Rules{"a": {{When: fault.When{From: 4 * time.Second}, Do: fault.Fault{Door: c.door}}, {Do: c.do}, {Do: slow}}},
			scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{time.Second, 2 * time.Second}}})
		if diff := cmp.Diff(c.want, story(run(t, s), event.AttemptEnded)); diff != "" {
			t.Errorf("%v: want -, got +\n%s", c.door, diff)
		}
	}
}
