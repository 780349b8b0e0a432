package agree

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/upstream"
)

func parse(t *testing.T, src string) *Case {
	t.Helper()
	f, problems := scenario.Parse("case.yaml", []byte(src), nil)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	all, err := Cases(f, upstream.Version{})
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

const two = `name: NAME
proxy:
  nginx: |
    upstream NAME {
      server NAME-a:80;
      server NAME-b:80;
    }
    server {
      listen PORT;
      location / { proxy_pass http://NAME; }
    }
backends:
  NAME-a:80:
    - when: {request: 2}
      do: reset
traffic:
  NAME-t: {request: GET /, to: "PORT", times: 4, start: 130ms, pause: 600ms}
expect:
  - status: {of: NAME-t, is: 200}
`

func named(name, port string) string {
	return strings.NewReplacer("NAME", name, "PORT", port).Replace(two)
}

// What is drawn goes the same way when its instants move, and is the same again.
func TestDraw(t *testing.T) {
	all, err := DrawAll(100, 40, upstream.Version{})
	if err != nil {
		t.Fatal(err)
	}
	requests, failed := 0, 0
	for i, c := range all {
		again, err := Draw(100+uint64(i), upstream.Version{})
		if err != nil || again.Text.Text() != c.Text.Text() {
			t.Errorf("seed %d isn't the same twice: %v", 100+i, err)
		}
		requests += c.Text.Requests()
		for _, e := range c.Sim.Events {
			if e.Kind == event.AttemptEnded && e.Outcome != event.Passed {
				failed++
			}
		}
	}
	if requests < 200 || failed < 40 {
		t.Errorf("%d requests and %d failed attempts show little", requests, failed)
	}
}

// What chance draws that no scenario may have is drawn again; any other mistake is one
// of the drawing itself.
func TestSenseless(t *testing.T) {
	const session = `name: x
proxy:
  nginx: |
    stream {
      upstream x { server x-a:80; }
      server { listen 80; proxy_pass x; proxy_connect_timeout 1s; proxy_timeout 1s; }
    }
backends:
  x-a:80:
    - when: {request: 2}
      do: reset
traffic:
  x-t: {request: GET /, to: "80", at: [130ms, 400ms]}
expect:
  - status: {of: x-t, is: 200}
`
	for _, c := range []struct {
		when string
		want bool
	}{
		{"{request: 2}\n      do: close\n    - when: {request: 2}", true},
		{"{from: 1h}", true},
		{"{request: 0}", false},
	} {
		_, problems := scenario.Parse("case.yaml", []byte(strings.Replace(session, "{request: 2}", c.when, 1)), nil)
		if err := problems.Err(); err == nil || senseless(err) != c.want {
			t.Errorf("%s: %v, senseless is to be %v", c.when, err, c.want)
		}
	}
}

// A case with two requests 1 ms around the end of a penalty isn't steady.
func TestSteady(t *testing.T) {
	if !parse(t, named("x", "80")).steady() {
		t.Error("nothing in it lies on an edge")
	}
	edge := strings.Replace(named("x", "80"), "times: 4, start: 130ms, pause: 600ms", "at: [130ms, 999ms, 1001ms, 1300ms]", 1)
	edge = strings.ReplaceAll(edge, "x-a:80;", "x-a:80 fail_timeout=0;")
	edge = strings.Replace(edge, "request: 2", "request: 1", 1)
	if parse(t, edge).steady() {
		t.Error("a penalty that ends within the margin is an edge")
	}
}

func TestMerge(t *testing.T) {
	one, other := parse(t, named("x", "80")), parse(t, named("y", "81"))
	m, err := Merge([]*scenario.Scenario{one.Scenario, other.Scenario})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := harness.Run(t.Context(), m, harness.Sim)
	if err != nil {
		t.Fatal(err)
	}
	cases := []*Case{one, other}
	for i, r := range split(cases, whole) {
		if d := harness.Compare(cases[i].Sim, r); len(d) > 0 || len(r.Events) != len(cases[i].Sim.Events) {
			t.Errorf("together it goes another way: %v", d)
		}
	}
	for want, pair := range map[string][2]string{
		"both have the listen 80":         {named("x", "80"), named("y", "80")},
		"both have the backend x-a:80":    {named("x", "80"), strings.ReplaceAll(named("y", "81"), "y-a", "x-a")},
		"both have the traffic x-t":       {named("x", "80"), strings.ReplaceAll(named("y", "81"), "y-t", "x-t")},
		"doesn't say to which listen":     {strings.Replace(named("x", "80"), `to: "80", `, "", 1), named("y", "81")},
		"upstream and server blocks only": {strings.Replace(named("x", "80"), "    upstream", "    worker_rlimit_nofile 4096;\n    upstream", 1), named("y", "81")},
		"has 2 workers":                   {strings.Replace(named("x", "80"), "    upstream", "    worker_processes 2;\n    upstream", 1), named("y", "81")},
		"has the seed 2":                  {named("x", "80") + "seed: 2\n", named("y", "81")},
	} {
		if _, err := Merge([]*scenario.Scenario{parse(t, pair[0]).Scenario, parse(t, pair[1]).Scenario}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// A verdict follows from what happened first, not from what followed.
func TestJudge(t *testing.T) {
	c := parse(t, named("x", "80"))
	run := func(change func(e *event.Event) bool) *harness.Result {
		r := *c.Sim
		r.Engine, r.Events = harness.Reference, nil
		for _, e := range c.Sim.Events {
			if change(&e) {
				r.Events = append(r.Events, e)
			}
		}
		return &r
	}
	late := func(e *event.Event) bool { e.At += 5 * time.Millisecond; return true }
	for name, x := range map[string]struct {
		change func(e *event.Event) bool
		want   Verdict
	}{
		"later": {late, Agreed},
		"another outcome": {func(e *event.Event) bool {
			if e.Outcome == event.Reset {
				e.Outcome = event.ReadTimeout
			}
			return true
		}, Differs},
		"another peer": {func(e *event.Event) bool {
			if e.Request.N == 2 && e.Peer == "x-b:80" {
				e.Peer = "x-a:80"
			}
			return true
		}, Differs},
		"no mark": {func(e *event.Event) bool { return e.Kind != event.PeerMarked }, Differs},
		"another status": {func(e *event.Event) bool {
			if e.Kind == event.ResponseEnded && e.Request.N == 4 {
				e.Status = 502
			}
			return true
		}, Differs},
	} {
		f := judge(c, harness.Reference, run(x.change))
		if f.Verdict != x.want {
			t.Errorf("%s: %v, want %v", name, f.Verdict, x.want)
		}
		if (len(f.Differences) > 0) != (x.want != Agreed) {
			t.Errorf("%s: %v", name, f.Differences)
		}
	}
}

// A pick that the edge of a second decided is explained by the run's own instants.
func TestJudgeExplains(t *testing.T) {
	src := named("x", "80")
	src = strings.ReplaceAll(src, "x-a:80;", "x-a:80 fail_timeout=0;")
	src = strings.Replace(src, "request: 2", "request: 1", 1)
	at := func(second string) *Case {
		return parse(t, strings.Replace(src, "times: 4, start: 130ms, pause: 600ms", "at: [130ms, 400ms, "+second+", 1300ms, 1600ms]", 1))
	}
	before, after := at("999ms"), at("1001ms")
	if len(harness.Compare(before.Sim, after.Sim)) == 0 {
		t.Fatal("the edge shows nothing")
	}
	run := *after.Sim
	run.Engine = harness.Reference
	if f := judge(before, harness.Reference, &run); f.Verdict != Explained {
		t.Errorf("%v: %v", f.Verdict, &f)
	}
	run.Events = slices.Clone(run.Events) // the same picks, but at instants that don't explain them
	for i := range run.Events {
		run.Events[i].At = min(run.Events[i].At, 900*time.Millisecond)
	}
	if f := judge(before, harness.Reference, &run); f.Verdict != Differs {
		t.Errorf("%v without the instants", f.Verdict)
	}
}

// A kept text has what the engine did as its expectations, and they hold.
func TestText(t *testing.T) {
	c, err := Draw(104, upstream.Version{})
	if err != nil {
		t.Fatal(err)
	}
	f := Finding{Case: c, Run: c.Sim}
	kept := parse(t, f.Text())
	if len(kept.Expect) == 0 || !kept.Sim.OK() {
		t.Errorf("%v in\n%s", kept.Sim.Verdicts, f.Text())
	}
}

// What is left of a case that was made smaller can be kept too: all of its
// requests are in it, with what came of them.
func TestTextOfSmaller(t *testing.T) {
	c, err := Draw(104, upstream.Version{})
	if err != nil {
		t.Fatal(err)
	}
	f := Finding{Case: c, Run: c.Sim}
	for range 3 {
		all := f.candidates()
		if len(all) == 0 {
			break
		}
		f = Finding{Case: all[len(all)/2], Run: all[len(all)/2].Sim}
		if err := f.listen(c.Text.Listen); err != nil {
			t.Fatal(err)
		}
		text := f.Text()
		if strings.Contains(text, "[]") {
			t.Fatalf("nothing came of its requests:\n%s", text)
		}
		kept := parse(t, text)
		if kept.Nginx.Servers[0].Listens[0].Address != c.Text.Listen || !kept.Sim.OK() {
			t.Errorf("%v in\n%s", kept.Sim.Verdicts, text)
		}
	}
}

// The cases that were kept hold on the simulator too.
func TestKept(t *testing.T) {
	files, err := filepath.Glob("../../e2e/agree/testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	v, err := upstream.ParseVersion("1.22")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := harness.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		all, err := Cases(f, v)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			for _, v := range c.Sim.Verdicts {
				if !v.OK {
					t.Errorf("%s: %s: want %s, got %s", c.Title(), v.Check, v.Want, v.Got)
				}
			}
		}
	}
}

// A difference that a late machine may have made is none; it is run again more often
// than one that was on time.
func TestDoubt(t *testing.T) {
	late, inTime := Finding{Case: &Case{}, Verdict: Differs, Lateness: Margin + 1}, Finding{Case: &Case{}, Verdict: Differs, Lateness: Margin}
	late.doubt()
	inTime.doubt()
	if late.Verdict != Undecided || inTime.Verdict != Differs {
		t.Errorf("%v and %v", late.Verdict, inTime.Verdict)
	}
	all := []Finding{late, inTime}
	if again, then := differing(all, false), differing(all, true); len(again) != 2 || len(then) != 1 || then[0] != late.Case {
		t.Errorf("%d run again, and %d once more", len(again), len(then))
	}
	var tally Tally
	tally.Add([]Finding{{Engine: harness.Nginx, Verdict: Undecided}, {Engine: harness.Reference, Verdict: Undecided}, {Engine: harness.Nginx}})
	if want := "sim and nginx: 1 agree, 0 differ, 1 undecided because the machine was late\n"; tally.Undecided() != 2 || !strings.Contains(tally.String(), want) {
		t.Errorf("%d: %s", tally.Undecided(), &tally)
	}
}

// Only findings that the machine can't be blamed for count.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		f    Finding
		want bool
	}{
		{Finding{Verdict: Agreed, Lateness: time.Second}, false},
		{Finding{Verdict: Explained, Lateness: time.Millisecond}, false},
		{Finding{Verdict: Explained, Lateness: time.Second}, true},
		{Finding{Verdict: Differs}, true},
		{Finding{Verdict: Undecided, Lateness: time.Second}, true},
	} {
		if c.f.open() != c.want {
			t.Errorf("%v, %v late", c.f.Verdict, c.f.Lateness)
		}
	}
}

// Of an attempt that no backend read nobody knows whether its connection was a kept one:
// it is what the simulator says, if it took as long there.
func TestUnread(t *testing.T) {
	attempt := func(took time.Duration, cached bool) []event.Event {
		e := event.Event{Request: event.Request{Traffic: "t", N: 1}, Try: 1, Peer: "a:80", Cached: cached}
		began, ended := e, e
		began.Kind, ended.Kind, ended.Outcome = event.AttemptStarted, event.AttemptEnded, event.Reset
		began.At, ended.At = time.Second, time.Second+took
		return []event.Event{began, ended}
	}
	for _, c := range []struct {
		took time.Duration
		want bool
	}{{20 * time.Millisecond, true}, {300 * time.Millisecond, false}} {
		events := attempt(c.took, false)
		unread(attempt(0, true), events)
		if events[0].Cached != c.want || events[1].Cached != c.want {
			t.Errorf("an attempt of %v: cached %v, want %v", c.took, events[1].Cached, c.want)
		}
	}
}

// With the addresses that a run's backends got, hash consistent sends requests elsewhere
// than in the case that was drawn: there two of them may meet at one instant.
func TestSteadyWith(t *testing.T) {
	c := parse(t, `name: steady
proxy:
  nginx: |
    upstream steady { hash $request_uri consistent; server steady-a:80; server steady-b:80; keepalive 4; }
    server {
      listen 80;
      location / { proxy_pass http://steady; proxy_http_version 1.1; proxy_set_header Connection ""; }
    }
backends:
  steady-b:80:
    - when: {from: 50ms, until: 2070ms}
      do: freeze
    - do: reset
traffic:
  steady-t: {request: GET /x, to: "80", at: [1100ms, 1300ms]}
expect:
  - status: {of: steady-t, is: 200}
`)
	found := map[bool]int{}
	for port := 1; len(found) < 2 && port < 1000; port++ {
		addresses := map[string]string{"steady-a:80": "127.0.0.1:1001", "steady-b:80": fmt.Sprintf("127.0.0.1:%d", 2000+port)}
		var sim *harness.Result
		c.withAddresses(addresses, func() { sim = c.again() })
		meet := slices.ContainsFunc(sim.Events, func(e event.Event) bool { return e.Kind == event.AttemptEnded && e.Peer == "steady-b:80" })
		if found[meet]++; c.steadyWith(addresses, sim) == meet {
			t.Errorf("%v: requests meet at the thaw: %v, steady: %v", addresses, meet, !meet)
		}
	}
	if len(found) < 2 {
		t.Errorf("every address does the same: %v", found)
	}
}
