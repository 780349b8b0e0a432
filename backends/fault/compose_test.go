package fault_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/backends/fault"
)

func meaning(t testing.TB, s fault.Spec) fault.Fault {
	t.Helper()
	f, err := s.Fault()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestListIsDoneInOrder(t *testing.T) {
	got, err := fault.Compose(
		meaning(t, &fault.WaitSpec{Latency: fault.Latency{For: 2 * time.Second}}),
		meaning(t, &fault.StatusSpec{Code: 503, After: fault.For(time.Second)}),
		meaning(t, &fault.WaitSpec{Latency: fault.Latency{For: 3 * time.Second}}),
		meaning(t, &fault.CloseSpec{}))
	if err != nil {
		t.Fatal(err)
	}
	want := fault.Script{
		Name:     "wait+status+wait+close",
		Response: meaning(t, &fault.StatusSpec{Code: 503}).Script.Response,
		Steps: []fault.Step{
			{Op: fault.ReadAll}, {Op: fault.Wait, For: 2 * time.Second}, {Op: fault.Wait, For: time.Second},
			{Op: fault.Write, Len: -1}, {Op: fault.Wait, For: 3 * time.Second}, {Op: fault.Close},
		},
	}
	if d := cmp.Diff(want, got.Script); d != "" {
		t.Error(d)
	}
	if err := (&fault.Rule{Do: got}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestListOfOneIsThatOne(t *testing.T) {
	for _, k := range fault.Kinds() {
		f, err := k.New().Fault()
		if err != nil {
			continue
		}
		got, err := fault.Compose(f)
		if d := cmp.Diff(f, got); err != nil || d != "" {
			t.Errorf("%s: %v %s", k.Name, err, d)
		}
	}
}

func TestListsThatCantBeMeant(t *testing.T) {
	wait := meaning(t, &fault.WaitSpec{Latency: fault.Latency{For: time.Second}})
	status := meaning(t, &fault.StatusSpec{Code: 503})
	for _, c := range []struct {
		steps []fault.Fault
		want  string
	}{
		{nil, "an empty list does nothing; leave the rule out or say what to do"},
		{[]fault.Fault{wait, meaning(t, &fault.FreezeSpec{})}, "step 2: freeze acts on the whole backend and can't be part of a list"},
		{[]fault.Fault{meaning(t, &fault.ResetSpec{CutSpec: fault.CutSpec{At: "accept"}}), wait}, "step 1: what happens at accept can't be part of a list"},
		{[]fault.Fault{status, meaning(t, &fault.WaitForSpec{Backend: "a"})}, "step 2: wait_for comes before the answer"},
		{[]fault.Fault{status, meaning(t, &fault.KeepaliveSpec{Idle: 1})}, "step 2: keepalive is no part of an answer; give it a rule of its own"},
		{[]fault.Fault{meaning(t, &fault.HangSpec{}), status}, "step 2: nothing can follow hang"},
		{[]fault.Fault{wait, meaning(t, &fault.ResetSpec{}), wait}, "step 3: nothing can follow reset"},
		{[]fault.Fault{status, meaning(t, &fault.RespondSpec{})}, "step 2: respond would answer a second time"},
	} {
		if _, err := fault.Compose(c.steps...); text(err) != c.want {
			t.Errorf("got  %s\nwant %s", text(err), c.want)
		}
	}
}

// What is read comes before all waits, and of what is read again only what wasn't.
func TestListReadsBeforeItWaits(t *testing.T) {
	wait := fault.Fault{Script: fault.Script{Name: "wait", Steps: []fault.Step{{Op: fault.Wait, For: 1}}}}
	read := func(st ...fault.Step) fault.Fault { return fault.Fault{Script: fault.Script{Name: "read", Steps: st}} }
	head, some, all := fault.Step{Op: fault.ReadHead}, fault.Step{Op: fault.ReadBody, Len: 5}, fault.Step{Op: fault.ReadAll}
	end := fault.Step{Op: fault.Close}
	for _, c := range []struct {
		steps []fault.Fault
		want  []fault.Step
	}{
		{[]fault.Fault{wait, wait}, []fault.Step{all, wait.Script.Steps[0], wait.Script.Steps[0]}},
		{[]fault.Fault{wait, read(head, end)}, []fault.Step{head, wait.Script.Steps[0], end}},
		{[]fault.Fault{read(head), wait, read(some, end)}, []fault.Step{head, wait.Script.Steps[0], some, end}},
		{[]fault.Fault{read(all), wait, read(some, end)}, []fault.Step{all, wait.Script.Steps[0], end}},
		{[]fault.Fault{read(head), read(all), wait, read(some, end)}, []fault.Step{head, all, wait.Script.Steps[0], end}},
	} {
		got, err := fault.Compose(c.steps...)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, got.Script.Steps); d != "" {
			t.Error(d)
		}
	}
}

// Drop is a close to who sent no more than was read, and a reset to others.
func TestDropIsWhatWasReadOfIt(t *testing.T) {
	drop := func(st ...fault.Step) *fault.Script {
		return &fault.Script{Steps: append(st, fault.Step{Op: fault.Drop})}
	}
	head, five := fault.Step{Op: fault.ReadHead}, fault.Step{Op: fault.ReadBody, Len: 5}
	for _, c := range []struct {
		script *fault.Script
		body   int64
		want   fault.Op
	}{
		{drop(head), 0, fault.Close}, {drop(head), 1, fault.Reset}, {drop(head), -1, fault.Reset},
		{drop(head, five), 5, fault.Close}, {drop(head, five), 6, fault.Reset},
		{drop(head, five, five), 10, fault.Close}, {drop(head, five, five), 11, fault.Reset},
		{drop(fault.Step{Op: fault.ReadAll}), 1 << 40, fault.Close}, {drop(fault.Step{Op: fault.ReadAll}), -1, fault.Close},
	} {
		sc := c.script.For(&fault.Exchange{Body: c.body})
		if got := sc.Steps[len(sc.Steps)-1].Op; got != c.want {
			t.Errorf("%+v with a body of %d: %d, want %d", c.script.Steps, c.body, got, c.want)
		}
	}
}

// To a HEAD the response ends with its head, which announces what it would have.
func TestHeadHasNoBody(t *testing.T) {
	sc := meaning(t, &fault.RespondSpec{}).Script
	for method, want := range map[string]int64{"GET": 41, "HEAD": 38} {
		if got := sc.For(&fault.Exchange{Method: method}).Response.Size(); got != want {
			t.Errorf("%s: %d bytes, want %d", method, got, want)
		}
	}
	none := meaning(t, &fault.StatusSpec{Code: 204}).Script
	if got := none.For(&fault.Exchange{Method: "HEAD"}); got.Response.Announced != none.Response.Announced {
		t.Errorf("a response without a body is changed: %+v", got.Response)
	}
}

// The longest that a delay may take bounds every draw.
func TestMostIsTheMost(t *testing.T) {
	s := time.Second
	for _, c := range []struct {
		delay fault.Delay
		want  time.Duration
	}{
		{fault.Delay{Lo: s, Hi: 3 * s}, 3 * s},
		{fault.Delay{List: []time.Duration{2 * s, 5 * s, s}}, 5 * s},
		{fault.Delay{First: 7 * s, Last: s, Over: s}, 7 * s},
		{fault.Delay{First: s, Last: 7 * s, Over: s}, 7 * s},
	} {
		if got := c.delay.Most(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.delay, got, c.want)
		}
	}
	// The middle of the lognormal one is its median, and its end is 5.4 deviations away.
	tail := fault.Delay{Median: s, P99: 10 * s}
	if got := tail.Most(); got < 200*s || got > 220*s || tail.At(.5, 0) != s || tail.At(1-1e-16, 0) != got {
		t.Errorf("%v, median %v, end %v", got, tail.At(.5, 0), tail.At(1-1e-16, 0))
	}
}

// The key and the answer of RFC 6455, 1.3; who brings no key gets none.
func TestWebSocketAnswersTheKey(t *testing.T) {
	sc := meaning(t, &fault.UpgradeSpec{}).Script
	if sc.WebSocket != true || meaning(t, &fault.UpgradeSpec{Protocol: "tls/1.0"}).Script.WebSocket {
		t.Error("the default is a WebSocket, and no other protocol is")
	}
	const head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	for key, want := range map[string]string{
		"dGhlIHNhbXBsZSBub25jZQ==": head + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
		"":                         head + "\r\n",
	} {
		got := sc.For(&fault.Exchange{Method: "GET", Header: func(name string) string {
			return map[string]string{"Sec-WebSocket-Key": key}[name]
		}})
		if string(got.Response.Head) != want {
			t.Errorf("%q: %q", key, got.Response.Head)
		}
	}
}
