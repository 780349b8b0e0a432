package backends_test

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// rule is one more rule for a backend.
func rule(t testing.TB, w fault.When, s fault.Spec) fault.Rule {
	t.Helper()
	return fault.Rule{When: w, Do: meaning(t, s)}
}

func TestFirstByteOfAFurtherRequestEndsTheConnection(t *testing.T) {
	for with, want := range map[string]string{"": "fin", "reset": "rst", "blackhole": "timeout"} {
		rec := &record{}
		s := start(t, backends.Options{Sink: rec, Rules: fault.Rules{
			rule(t, fault.When{Exchange: fault.Range{From: 3}}, &fault.CloseOnReuseSpec{With: with})}})
		c := dial(t, s.Addr())
		r := bufio.NewReader(c)
		for range 2 {
			send(t, c, get)
			answer(t, r)
		}
		// The idle connection stays, and one byte is enough.
		c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if got, how := rest(c); got != "" || how != "timeout" {
			t.Errorf("%s: the idle connection got %q and %s", with, got, how)
		}
		wait := patience
		if want == "timeout" {
			wait = 50 * time.Millisecond
		}
		c.SetReadDeadline(time.Now().Add(wait))
		send(t, c, get[:1])
		if got, how := rest(c); got != "" || how != want {
			t.Errorf("%s: got %q and %s, want %s and nothing else", with, got, how, want)
		}
		if n := len(rec.of(event.BackendGot)); n != 2 {
			t.Errorf("%s: %d requests were read, want 2", with, n)
		}
		if told := rec.of(event.BackendCut); len(told) != 1 || told[0].Detail != "close_on_reuse" || !told[0].Cached {
			t.Errorf("%s: told %+v, want one cut of a connection that had served", with, told)
		}
		// A new connection is served.
		c = dial(t, s.Addr())
		send(t, c, get)
		answer(t, bufio.NewReader(c))
	}
}

func TestReuseIsDrawnByConnectionAndNumber(t *testing.T) {
	s := start(t, backends.Options{Name: "app1", Seed: 3, Rules: fault.Rules{
		rule(t, fault.When{Share: .3}, &fault.CloseOnReuseSpec{})}})
	for conn := 1; conn <= 20; conn++ {
		want := 1
		for fault.DrawReuse(3, "app1", 0, conn, want+1) >= .3 && want < 5 {
			want++
		}
		c := dial(t, s.Addr())
		r := bufio.NewReader(c)
		for n := 1; n <= want; n++ {
			send(t, c, get)
			answer(t, r)
		}
		if want == 5 {
			continue
		}
		send(t, c, get)
		if got, how := rest(c); got != "" || how != "fin" {
			t.Errorf("connection %d, request %d: got %q and %s, want fin", conn, want+1, got, how)
		}
	}
}

// The end of an idle connection is exact: not early at all, and late by no more
// than the runtime's timers.
func TestIdleConnectionEndsInTime(t *testing.T) {
	const idle = 200 * time.Millisecond
	for with, want := range map[string]string{"fin": "fin", "reset": "rst"} {
		clk := clock.New(1)
		clk.Begin(time.Now())
		s := start(t, backends.Options{Clock: clk, Rules: always(t, &fault.KeepaliveSpec{Idle: idle, With: with})})
		best := time.Hour
		for good := 0; good < 5; {
			c := dial(t, s.Addr())
			r := bufio.NewReader(c)
			answered := time.Now()
			send(t, c, get)
			answer(t, r)
			time.Sleep(idle / 4)
			if time.Since(answered) > idle/2 {
				continue // too busy a machine to be in time
			}
			send(t, c, get) // each answer starts the time anew
			answer(t, r)
			answered = time.Now()
			good++
			got, how := rest(c)
			late := time.Since(answered) - idle
			if got != "" || how != want {
				t.Errorf("got %q and %s, want %s", got, how, want)
			}
			// The client may read its answer a little after the backend wrote it.
			if late < -20*time.Millisecond {
				t.Errorf("the connection ended %v early", -late)
			}
			best = min(best, max(late, -late))
		}
		j := clk.Lateness().Jitter(clock.Wait)
		if j.Count == 0 {
			t.Error("no lateness was measured")
		}
		t.Logf("%s: off by %v in the best of 5, the backend's own lateness at most %v", with, best, j.Max)
		if best > time.Millisecond+j.Max {
			t.Errorf("%s: off by %v in the best of 5", with, best)
		}
	}
}

func TestRequestsThatAConnectionServes(t *testing.T) {
	for _, c := range []struct {
		spec fault.KeepaliveSpec
		says bool
		want string
	}{
		{fault.KeepaliveSpec{Requests: 3}, true, "fin"},
		{fault.KeepaliveSpec{Requests: 3, Silent: true}, false, "fin"},
		{fault.KeepaliveSpec{Requests: 3, With: "reset"}, true, "rst"},
		{fault.KeepaliveSpec{Requests: 1, Silent: true, Idle: time.Hour}, false, "fin"},
	} {
		s := start(t, backends.Options{Rules: append(always(t, &c.spec), rule(t, fault.When{}, &fault.DripSpec{
			Every: time.Millisecond, Bytes: 20, What: "header"}))})
		tcp := dial(t, s.Addr())
		r := bufio.NewReader(tcp)
		for range c.spec.Requests - 1 {
			send(t, tcp, get)
			answer(t, r)
		}
		send(t, tcp, get)
		got, how := rest(tcp)
		want := "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK\n"
		if c.says {
			want = strings.Replace(want, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)
		}
		if got != want || how != c.want {
			t.Errorf("%+v: the last answer is %q and %s, want %q and %s", c.spec, got, how, want, c.want)
		}
	}
}

// A process whose timer passed while it was stopped finds that before it finds
// a request.
func TestIdleTimePassesInAFreeze(t *testing.T) {
	clk := clock.New(1)
	s := start(t, backends.Options{Clock: clk, Rules: fault.Rules{
		rule(t, fault.When{From: 50 * time.Millisecond, Until: 300 * time.Millisecond}, &fault.FreezeSpec{}),
		rule(t, fault.When{}, &fault.KeepaliveSpec{Idle: 100 * time.Millisecond}),
	}})
	clk.Begin(time.Now())
	c := dial(t, s.Addr())
	send(t, c, get)
	answer(t, bufio.NewReader(c))
	clk.SleepUntil(t.Context(), 200*time.Millisecond, clock.Send)
	send(t, c, get)
	if got, how := rest(c); got != "" || how != "fin" || clk.Now() < 300*time.Millisecond {
		t.Errorf("got %q and %s at %v, want fin after 300ms", got, how, clk.Now())
	}
}

func TestTheLogSaysWhichFaultARequestGot(t *testing.T) {
	rec := &record{}
	s := start(t, backends.Options{Sink: rec, Rules: fault.Rules{
		rule(t, fault.When{Path: "/slow"}, &fault.DripSpec{Every: time.Millisecond})}})
	c := dial(t, s.Addr())
	r := bufio.NewReader(c)
	for _, path := range []string{"/", "/slow"} {
		send(t, c, strings.Replace(get, "/", path, 1))
		answer(t, r)
	}
	got := rec.of(event.BackendGot)
	if len(got) != 2 || got[0].Detail != "" || got[1].Detail != "drip" {
		t.Errorf("got %v, want nothing and drip", got)
	}
}
