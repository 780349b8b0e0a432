package scenario

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/check"
)

// load loads a good file.
func load(t *testing.T, name string) *File {
	t.Helper()
	f, ps := LoadFile(name, os.DirFS("testdata/good"))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	return f
}

// parse parses a good text.
func parse(t *testing.T, src string) *File {
	t.Helper()
	f, ps := Parse("x.yaml", []byte(src), nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	return f
}

func diff(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func must(t *testing.T, spec fault.Spec) fault.Fault {
	t.Helper()
	f, err := spec.Fault()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestEveryKeyArrives(t *testing.T) {
	s := load(t, "everything.yaml").Scenarios[0]
	diff(t, "head", []any{s.Name, s.Variant, s.Title(), s.About, s.Tags, s.Engines, s.MaxSpeed, s.AskSpeed, s.Seed, s.Jitter},
		[]any{"every_thing-2", "", "every_thing-2", "Every key once.", []string{"a", "b-c"}, []string{"sim", "nginx"}, 30.0, 10.5, uint64(18446744073709551615), 250 * time.Millisecond})
	diff(t, "backends of the configuration", s.Nginx.Backends, []string{"app1:8080", "app2:8080"})

	sec := time.Second
	diff(t, "traffic", s.Traffic, []Traffic{
		{
			Name: "open", Method: "POST", Path: "/orders?x=1", Body: 10 << 10, To: "shop.example",
			Headers: []fault.Header{{Name: "X-A", Value: "1"}, {Name: "X-B", Value: "p"}, {Name: "X-B", Value: "q"}},
			Load:    Load{Rate: 0.5, For: time.Hour, Poisson: true, Start: Interval{Lo: 5 * sec, Hi: 5 * sec}},
		},
		{
			Name: "closed", Method: "GET", Path: "/",
			Load: Load{Users: 2, Times: 3, Pause: Interval{Lo: 2 * sec, Hi: 20 * sec}, Start: Interval{Hi: 60 * sec}, For: 2 * time.Hour},
			Client: Client{Keepalive: true, Timeout: 30 * sec, HTTP10: true, Addresses: Addresses{
				{Address{127, 0, 0, 7}, Address{127, 0, 0, 7}},
				{Address{127, 0, 1, 0}, Address{127, 0, 1, 255}},
				{Address{127, 0, 2, 1}, Address{127, 0, 2, 9}},
			}},
		},
		{Name: "explicit", Method: "GET", Path: "/", To: "8080", Load: Load{At: []time.Duration{0, 0, 61 * sec}},
			Client: Client{Addresses: Addresses{{Loopback, Address{127, 255, 255, 254}}}}},
	})

	step := func(specs ...fault.Spec) fault.Fault {
		var fs []fault.Fault
		for _, s := range specs {
			fs = append(fs, must(t, s))
		}
		f, err := fault.Compose(fs...)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	every := fault.Rules{
		{When: fault.When{Path: "/reports/*", Method: "GET", Header: map[string]string{"X-Kind": "7", "Accept": "text/*"}},
			Do: must(t, &fault.SlowPDFSpec{Generate: fault.For(4 * time.Minute), Size: 2 << 20, Rate: 256 << 10})},
		{When: fault.When{Request: fault.Range{From: 3, To: 3}}, Do: step(&fault.WaitSpec{Latency: fault.Latency{For: 2 * sec}}, &fault.StatusSpec{Code: 503})},
		{When: fault.When{Request: fault.Range{From: 1, To: 2}, Connection: fault.Range{From: 4}, Exchange: fault.Range{From: 1, To: 1}},
			Do: must(t, &fault.ResetSpec{CutSpec: fault.CutSpec{At: "body"}})},
		{When: fault.When{Every: 5}, Do: must(t, &fault.CloseSpec{CutSpec: fault.CutSpec{At: "body", Share: 0.25, Pause: sec, RespondSpec: fault.RespondSpec{Size: 4 << 10}}})},
		{When: fault.When{Share: 0.1}, Do: must(t, &fault.DripSpec{Every: 100 * time.Millisecond, Bytes: 10, What: "body", RespondSpec: fault.RespondSpec{Size: 1000}})},
		{Do: must(t, &fault.RespondSpec{Status: 200, After: fault.For(20 * time.Millisecond), Body: "hello\n", Framing: "close",
			Headers: []fault.Header{{Name: "X-A", Value: "b"}, {Name: "X-N", Value: "1"}, {Name: "X-L", Value: "1"}, {Name: "X-L", Value: "two"}}})},
	}
	own := fault.Rules{
		{When: fault.When{From: 10 * sec, Until: 90 * sec}, Do: fault.Fault{Door: fault.Frozen}},
		{When: fault.When{From: 2 * time.Minute}, Do: fault.Fault{Door: fault.Refusing}},
	}
	diff(t, "backends", s.Backends, []Backend{{Name: "app1:8080", Own: 2, Rules: append(own, every...)}, {Name: "app2:8080", Rules: every}})

	if len(s.Expect) != 14 {
		t.Fatalf("%d expectations", len(s.Expect))
	}
	diff(t, "status", s.Expect[0], check.Status{Of: "open", Is: "2xx", Count: check.AtLeast(1), During: check.Window{From: 60 * sec, To: 120 * sec}})
	diff(t, "out", s.Expect[5], check.Out{Backend: "app1:8080", For: check.Around(60*sec, 250*time.Millisecond), Still: check.Yes})
	diff(t, "sequence", s.Expect[9], check.Sequence{Of: "explicit", Status: []check.Answer{"200", "closed", "5xx"}})
}

func TestDefaults(t *testing.T) {
	s := load(t, "minimal.yaml").Scenarios[0]
	diff(t, "head", []any{s.Engines, s.MaxSpeed, s.AskSpeed, s.Seed, s.Jitter},
		[]any{[]string{"sim", "reference", "nginx"}, 0.0, 0.0, uint64(1), time.Second})
	diff(t, "traffic", s.Traffic, []Traffic{{Name: "x", Method: "GET", Path: "/", Load: Load{Users: 1, Times: 1}}})
	diff(t, "backends", s.Backends, []Backend{{Name: "app:80"}})
}

// Mappings merge key by key at every depth, anything else replaces, null drops.
func TestVariantsInherit(t *testing.T) {
	f := load(t, "everything.yaml")
	if len(f.Scenarios) != 2 {
		t.Fatalf("%d scenarios", len(f.Scenarios))
	}
	base, s := f.Scenarios[0], f.Scenarios[1]
	diff(t, "title", s.Title(), "every_thing-2/slow-start")
	diff(t, "about, dropped", s.About, "")
	diff(t, "tags, a list, replaced", s.Tags, []string{"z"})
	diff(t, "engines, dropped, so the default", s.Engines, []string{"sim", "reference", "nginx"})
	diff(t, "max_speed and seed, inherited", []any{s.MaxSpeed, s.Seed}, []any{base.MaxSpeed, base.Seed})
	diff(t, "speed and jitter, replaced", []any{s.AskSpeed, s.Jitter}, []any{0.0, 2 * time.Second})
	if s.Nginx != base.Nginx {
		t.Error("the configuration was interpreted again")
	}
	all := fault.Rule{Do: must(t, &fault.StatusSpec{Code: 500})}
	hang := fault.Rule{Do: must(t, &fault.HangSpec{})}
	diff(t, "backends: one dropped, one replaced, one new", s.Backends, []Backend{{Name: "app1:8080", Rules: fault.Rules{all}}, {Name: "app2:8080", Own: 1, Rules: fault.Rules{hang, all}}})

	var names []string
	for _, x := range s.Traffic {
		names = append(names, x.Name)
	}
	diff(t, "traffic in file order, new ones last", names, []string{"closed", "explicit", "extra"})
	closed := base.Traffic[1]
	closed.Load.Times, closed.Load.Pause, closed.Client.Timeout = 5, Interval{}, 0
	diff(t, "traffic, merged by field", s.Traffic[0], closed)
	diff(t, "expect, replaced", s.Expect, []check.Check{check.Status{Of: "extra", Is: "504"}})
	diff(t, "the base is untouched", len(base.Traffic), 3)
}

func TestVariantsKeepTheirOrder(t *testing.T) {
	const head = `
name: x
proxy:
  nginx: "server { location / { proxy_pass http://app:80; } }"
traffic:
  zebra: {request: GET /, times: 1}
  ape: {request: GET /, times: 1}
expect:
  - status: {of: ape, is: 200}
variants:
  second: {about: b}
  first: {about: a}
`
	f := parse(t, head)
	var titles []string
	for _, s := range f.Scenarios {
		titles = append(titles, s.Title()+" "+s.Traffic[0].Name+" "+s.Traffic[1].Name)
	}
	diff(t, "order", titles, []string{"x zebra ape", "x/second zebra ape", "x/first zebra ape"})
}

func TestJitterFollowsTheTightestTolerance(t *testing.T) {
	for expect, want := range map[string]time.Duration{
		"latency: {of: a, max: 60s ±1s}":                                               time.Second,
		"latency: {of: a, max: 60s..62s}":                                              time.Second,
		"latency: {of: a, max: 60s ±250ms}":                                            250 * time.Millisecond,
		"latency: {of: a, p50: 60s ±1s, p99: 10ms..50ms}":                              20 * time.Millisecond,
		"out: {backend: app:80, for: 44s..52s}":                                        time.Second, // bears 4 s, but 1 s is the most
		"latency: {of: a, max: < 5s}":                                                  time.Second, // tells nothing
		"latency: {of: a, max: 5s}":                                                    time.Second, // no run could meet it
		"latency: {of: a, max: 0s..2s}":                                                time.Second, // as good as <= 2s
		"status: {of: a, is: 200, count: 3..4}":                                        time.Second, // no time
		"slow: {of: a, over: 1s, count: 0}":                                            time.Second,
		"latency: {of: a, max: 60s ±250ms}}\njitter: 3s\n#":                            3 * time.Second,
		"latency: {of: a, max: 60s ±250ms}}\njitter: 20ms\n#":                          20 * time.Millisecond,
		"latency: {of: a, max: 1000000ns..1000002ns}":                                  time.Millisecond, // nobody measures finer
		"out: {backend: \"*\", for: 10s ±100ms}}\n  - {latency: {of: a, max: 60s ±1s}": 100 * time.Millisecond,
	} {
		if f := parse(t, "name: x\nproxy: {nginx: \"server { location / { proxy_pass http://app:80; } }\"}\n"+
			"traffic: {a: {request: GET /, times: 9}}\nexpect:\n  - {"+expect+"}\n"); f.Scenarios[0].Jitter != want {
			t.Errorf("%s: %v, want %v", expect, f.Scenarios[0].Jitter, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	const src = `name: x
proxy:
  nginx: |
    upstream u { least_time header; server a:1; server b:1; }
    server { location / { proxy_pass http://u; } }
backends:
  a:1:
    - when: {from: 90s}
      do: freeze
traffic:
  t: {request: GET /, rate: 1/s, for: 60s}
expect:
  - latency: {of: t, max: 60s}
variants:
  later:
    about: inherits all of them
`
	lines := func(f *File) (out []string) {
		for _, p := range f.Warnings {
			out = append(out, p.String())
		}
		return out
	}
	only := `x.yaml:4:18: runs on nginx only, because `
	rest := []string{
		"x.yaml:8:20: a:1: this window opens after the last request is sent",
		"x.yaml:13:27: latency: max: no run on sockets takes exactly 60s (60s ±1s gives it a tolerance)",
	}
	f := parse(t, src)
	got := lines(f)
	if len(got) != 3 || !strings.HasPrefix(got[0], only) || !strings.HasSuffix(got[0], " (add engines: [nginx])") {
		t.Fatalf("got %q", got)
	}
	diff(t, "warnings", got[1:], rest)
	if len(f.Scenarios[0].Nginx.NginxOnly) != 1 {
		t.Errorf("the runner can't see it: %v", f.Scenarios[0].Nginx.NginxOnly)
	}
	diff(t, "it was said that this is for nginx alone", lines(parse(t, src+"engines: [nginx]\n")), rest)
	got = lines(parse(t, src+"    engines: null\nengines: [nginx]\n"))
	if len(got) != 3 || !strings.HasPrefix(got[0], "x.yaml:4:18: in variant later: runs on nginx only") {
		t.Errorf("got %q", got)
	}
}

// What is probably a slip, and isn't a mistake for certain: a host that is nearly
// called like a block, a path that nobody asks for.
func TestProbableSlips(t *testing.T) {
	const src = `name: x
proxy:
  nginx: |
    upstream app { server app1; server app2; }
    server { location / { proxy_pass http://appp; } location /one { proxy_pass http://app1; } }
backends:
  "*":
    - when: {path: /reprot}
      do: hang
    - when: {path: "/one*"}
      do: hang
traffic:
  reports: {request: GET /report, times: 3}
  one: {request: GET /one/1, times: 3}
expect:
  - status: {of: one, is: 504, count: 3}
`
	var got []string
	for _, p := range parse(t, src).Warnings {
		got = append(got, p.String())
	}
	diff(t, "warnings", got, []string{
		`x.yaml:5:38: no upstream is called appp, so it is a backend of its own (did you mean "app"?)`,
		`x.yaml:8:20: path: no traffic asks for "/reprot", so unless the proxy changes the path this rule never applies (did you mean "/report"?)`,
	})
	named := strings.Replace(src, `"*":`, `appp:`, 1)
	for _, p := range parse(t, named).Warnings {
		if strings.Contains(p.String(), "no upstream") {
			t.Errorf("the scenario has a backend of that name, and yet: %v", p)
		}
	}
}

// A step behind the answer delays nothing of it.
func TestAWaitBehindTheAnswer(t *testing.T) {
	const src = `name: x
proxy: {nginx: "upstream u { server a:80; server b:80; } server { location / { proxy_pass http://u; } }"}
backends:
  a:80:
    - when: {request: 1}
      do: [{status: 503}, {wait: 20s}]
    - when: {request: 2}
      do: [respond, {wait: 10ms..50ms}]
    - when: {request: 3}
      do: [{wait: 20s}, {status: 503}]
    - do: [respond, {wait: 2s}, reset]
traffic: {t: {request: GET /, times: 3}}
expect: [{status: {of: t, is: 200}}]
`
	var got []string
	for _, p := range parse(t, src).Warnings {
		got = append(got, p.String())
	}
	const text = ": a:80: do: this wait comes when the client has its answer (steps are done in order; a wait before the answer delays it)"
	diff(t, "warnings", got, []string{"x.yaml:6:27" + text, "x.yaml:8:21" + text})
}
