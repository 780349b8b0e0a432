package backends_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// Before the clock begins the door at 0 is in force for as long as a test
// wants. So a test looks at one state, lets the clock begin at the change, and
// looks at the other; nothing depends on how fast it is.

// door is the spec of a door.
func door(d fault.Door) fault.Spec {
	k, _ := fault.Lookup(d.String())
	return k.New()
}

// change is a backend that goes from one door to another when begin is called,
// and stays there.
func change(t testing.TB, from, to fault.Door) (s *backends.Server, rec *record, begin func()) {
	t.Helper()
	var rules fault.Rules
	if from != fault.Open {
		rules = append(rules, during(t, 0, 10*time.Second, door(from))...)
	}
	if to != fault.Open {
		rules = append(rules, during(t, 10*time.Second, 0, door(to))...)
	}
	clk := clock.New(1)
	rec = &record{}
	s = start(t, backends.Options{Name: "app1", Rules: rules, Clock: clk, Sink: rec})
	return s, rec, func() {
		t.Helper()
		clk.Begin(time.Now().Add(-10 * time.Second))
		eventually(t, "the change of the door", func() bool {
			return (from == fault.Open || len(rec.of(event.FaultOff)) == 1) &&
				(to == fault.Open || len(rec.of(event.FaultOn)) == 1+min(1, int(from)))
		})
	}
}

// shortly is how long a test looks on while nothing may happen.
const shortly = 150 * time.Millisecond

// probe asks a new connection whether the door is in a state.
func probe(addr string, d fault.Door) error {
	wait := shortly
	if d == fault.Open || d == fault.Refusing {
		wait = patience
	}
	c, err := net.DialTimeout("tcp", addr, wait)
	switch {
	case d == fault.Refusing:
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return fmt.Errorf("connect gave %v, want it refused", err)
		}
		return nil
	case d == fault.Blackholed:
		if late, ok := err.(net.Error); !ok || !late.Timeout() {
			return fmt.Errorf("connect gave %v, want a time-out", err)
		}
		return nil
	case err != nil:
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(wait))
	io.WriteString(c, "GET / HTTP/1.0\r\n\r\n")
	got, how := rest(c)
	if d == fault.Open && (!strings.HasPrefix(got, "HTTP/1.1 200") || how != "fin") {
		return fmt.Errorf("got %q and %s, want an answer", got, how)
	}
	if d == fault.Frozen && (got != "" || how != "timeout") {
		return fmt.Errorf("got %q and %s, want nothing", got, how)
	}
	return nil
}

var doors = []fault.Door{fault.Open, fault.Frozen, fault.Refusing, fault.Blackholed}

func TestEveryDoorTurnsIntoEveryOther(t *testing.T) {
	for _, from := range doors {
		for _, to := range doors {
			if from == to {
				continue
			}
			t.Run(from.String()+" to "+to.String(), func(t *testing.T) {
				t.Parallel()
				s, rec, begin := change(t, from, to)
				for range 2 {
					if err := probe(s.Addr(), from); err != nil {
						t.Errorf("before: %v", err)
					}
				}
				begin()
				for range 2 {
					if err := probe(s.Addr(), to); err != nil {
						t.Errorf("after: %v", err)
					}
				}
				var told []string
				for _, k := range []event.Kind{event.FaultOn, event.FaultOff} {
					for _, e := range rec.of(k) {
						told = append(told, k.String()+" "+e.Detail+" "+e.Peer)
					}
				}
				var want []string
				if from != fault.Open {
					want = append(want, "fault_on "+from.String()+" app1")
				}
				if to != fault.Open {
					want = append(want, "fault_on "+to.String()+" app1")
				}
				if from != fault.Open {
					want = append(want, "fault_off "+from.String()+" app1")
				}
				if strings.Join(told, ", ") != strings.Join(want, ", ") {
					t.Errorf("told %q, want %q", told, want)
				}
			})
		}
	}
}

// No connection slips through before a door that is shut from the start.
func TestShutFromTheStart(t *testing.T) {
	for range 20 {
		s, err := backends.Start(backends.Options{Rules: always(t, door(fault.Refusing))})
		if err != nil {
			t.Fatal(err)
		}
		if err := probe(s.Addr(), fault.Refusing); err != nil {
			t.Error(err)
		}
		s.Close()
	}
	s := start(t, backends.Options{Rules: always(t, door(fault.Blackholed))})
	if err := probe(s.Addr(), fault.Blackholed); err != nil {
		t.Error(err)
	}
}

// The port stays the backend's own while it refuses: no client gets it as the
// port to connect from, which would connect it to itself.
func TestRefusedPortIsKept(t *testing.T) {
	s, _, begin := change(t, fault.Refusing, fault.Open)
	other := start(t, backends.Options{})
	own, err := net.ResolveTCPAddr("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	d := net.Dialer{LocalAddr: own}
	if c, err := d.Dial("tcp", other.Addr()); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a client could use the port: %v", err)
		if err == nil {
			c.Close()
		}
	}
	for range 300 {
		if err := probe(s.Addr(), fault.Refusing); err != nil {
			t.Fatal(err)
		}
	}
	begin()
	if err := probe(s.Addr(), fault.Open); err != nil {
		t.Error(err)
	}
}

func TestRefusalEndsOpenConnections(t *testing.T) {
	s, _, begin := change(t, fault.Open, fault.Refusing)
	idle := dial(t, s.Addr())
	send(t, idle, get)
	r := bufio.NewReader(idle)
	answer(t, r)
	begin()
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("idle connection: got %v, want fin", err)
	}
	if n := s.Connections(); n > 0 {
		eventually(t, "the connection's end", func() bool { return s.Connections() == 0 })
	}
}

// A stopped process that is killed leaves its requests unread: the kernel resets.
func TestUnreadRequestsAreResetWhenTheProcessGoes(t *testing.T) {
	s, rec, begin := change(t, fault.Frozen, fault.Refusing)
	c := dial(t, s.Addr())
	send(t, c, get)
	begin()
	if got, how := rest(c); got != "" || how != "rst" {
		t.Errorf("got %q and %s, want rst", got, how)
	}
	if n := len(rec.of(event.BackendGot)); n != 0 {
		t.Errorf("%d requests were read, want none", n)
	}
}

// After the thaw everything is served, also what nobody waits for any more.
func TestThawServesTheQueue(t *testing.T) {
	s, rec, begin := change(t, fault.Frozen, fault.Open)
	waits, left := dial(t, s.Addr()), dial(t, s.Addr())
	send(t, waits, get)
	send(t, left, get)
	left.Close()
	waits.SetDeadline(time.Now().Add(shortly))
	if got, how := rest(waits); got != "" || how != "timeout" {
		t.Errorf("while frozen: got %q and %s, want nothing", got, how)
	}
	if n := len(rec.of(event.BackendGot)); n != 0 {
		t.Errorf("while frozen %d requests were read", n)
	}
	begin()
	waits.SetDeadline(time.Now().Add(patience))
	answer(t, bufio.NewReader(waits))
	eventually(t, "both requests", func() bool { return len(rec.of(event.BackendGot)) == 2 })
	for _, e := range rec.of(event.BackendGot) {
		if e.At < 10*time.Second {
			t.Errorf("a request was read at %v, before the thaw", e.At)
		}
	}
}

// What is due during a freeze happens at the thaw.
func TestDueDuringTheFreezeHappensAtTheThaw(t *testing.T) {
	ms := time.Millisecond
	for name, c := range map[string]struct {
		spec  fault.Spec
		ended time.Duration
	}{
		"answer": {&fault.RespondSpec{After: 200 * ms}, 500 * ms},
		"drip":   {&fault.DripSpec{Every: 200 * ms, Bytes: 20}, 700 * ms}, // at 0, 500 and 700 ms
		"close":  {&fault.CloseSpec{CutSpec: fault.CutSpec{At: "header", Bytes: 5, Pause: 200 * ms}}, 500 * ms},
	} {
		for _, shut := range []fault.Door{fault.Frozen, fault.Blackholed} {
			rules := append(during(t, 100*ms, 500*ms, door(shut)), always(t, c.spec)...)
			clk := clock.New(1)
			s := start(t, backends.Options{Rules: rules, Clock: clk})
			tcp := dial(t, s.Addr())
			send(t, tcp, strings.Replace(get, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1))
			eventually(t, "the connection", func() bool { return s.Connections() == 1 })
			clk.Begin(time.Now())
			got, how := rest(tcp)
			if at := clk.Now(); how != "fin" || at < c.ended {
				t.Errorf("%s, %s: %q and %s at %v, want fin from %v on", name, shut, got, how, at, c.ended)
			}
		}
	}
}

// edges runs f with the instant of a door's change, once with a clock that only
// begins there and once with one that runs into it. f says whether it came in
// time to tell anything.
func edges(t *testing.T, f func(t *testing.T, at time.Duration, clk *clock.Clock, reach func()) bool) {
	t.Run("clock begins there", func(t *testing.T) {
		const at = 10 * time.Second
		for range 10 {
			clk := clock.New(1)
			if f(t, at, clk, func() { clk.Begin(time.Now().Add(-at)) }) {
				return
			}
		}
		t.Error("the machine is too slow")
	})
	t.Run("clock runs into it", func(t *testing.T) {
		for at := 100 * time.Millisecond; at < 10*time.Second; at *= 2 {
			clk := clock.New(1)
			clk.Begin(time.Now())
			if f(t, at, clk, func() {}) {
				return
			}
		}
		t.Error("the machine is too slow")
	})
}

// What a stopped process doesn't read stays with the sender, and what it
// doesn't write never comes.
func TestFrozenBackendNeitherReadsNorWrites(t *testing.T) {
	const size = 256 << 20
	for _, shut := range []fault.Door{fault.Frozen, fault.Blackholed} {
		edges(t, func(t *testing.T, at time.Duration, clk *clock.Clock, reach func()) bool {
			rec := &record{}
			rules := append(during(t, at, 0, door(shut)), always(t, &fault.RespondSpec{Size: size})...)
			s := start(t, backends.Options{Rules: rules, Clock: clk, Sink: rec})
			reader, writer := dial(t, s.Addr()), dial(t, s.Addr())
			send(t, reader, get)
			send(t, writer, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 268435456\r\n\r\n")
			eventually(t, "both requests or the door", func() bool {
				return len(rec.of(event.BackendGot)) == 2 || len(rec.of(event.FaultOn)) == 1
			})
			if clk.Now() > at/2 {
				return false
			}
			reach()
			eventually(t, shut.String(), func() bool { return len(rec.of(event.FaultOn)) == 1 })
			if n := stalls(reader, size, reader.Read); n >= size {
				t.Errorf("%s: the whole answer came", shut)
			}
			if n := stalls(writer, size, writer.Write); n >= size {
				t.Errorf("%s: the whole body was taken", shut)
			}
			return true
		})
	}
}

// stalls moves bytes until none have moved for a while or there are enough, and
// returns how many did.
func stalls(c net.Conn, enough int, move func([]byte) (int, error)) int {
	moved := 0
	for block := make([]byte, 1<<20); moved < enough; {
		c.SetDeadline(time.Now().Add(shortly))
		n, err := move(block)
		moved += n
		if err != nil && n == 0 {
			break
		}
	}
	return moved
}

// A connection that was open before the freeze stands still like a new one.
func TestOpenConnectionsFreezeToo(t *testing.T) {
	for _, shut := range []fault.Door{fault.Frozen, fault.Blackholed} {
		s, rec, begin := change(t, fault.Open, shut)
		c := dial(t, s.Addr())
		send(t, c, get)
		r := bufio.NewReader(c)
		answer(t, r)
		begin()
		send(t, c, get)
		c.SetDeadline(time.Now().Add(shortly))
		if b, err := r.ReadByte(); err == nil {
			t.Errorf("%s: got %q, want nothing", shut, b)
		}
		if n := len(rec.of(event.BackendGot)); n != 1 {
			t.Errorf("%s: %d requests were read, want only the one before", shut, n)
		}
	}
}

// What arrives during a freeze is never read, so that the end of the process
// resets the connection.
func TestFrozenReadsLeaveTheirBytesToTheKernel(t *testing.T) {
	edges(t, func(t *testing.T, at time.Duration, clk *clock.Clock, reach func()) bool {
		end := at + time.Second
		rec := &record{}
		rules := append(during(t, at, end, door(fault.Frozen)), during(t, end, 0, door(fault.Refusing))...)
		s := start(t, backends.Options{Rules: rules, Clock: clk, Sink: rec})
		c := dial(t, s.Addr())
		send(t, c, get)
		if answer(t, bufio.NewReader(c)); clk.Now() > at/2 {
			return false
		}
		reach()
		eventually(t, "the freeze", func() bool { return len(rec.of(event.FaultOn)) >= 1 })
		_, err := io.WriteString(c, get)
		if clk.Now() > end-time.Second/4 {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, how := rest(c); got != "" || how != "rst" {
			t.Errorf("got %q and %s, want rst", got, how)
		}
		return true
	})
}

// The connection that holds the door of a blackhole shut is none of the clients'.
func TestBlackholesOwnConnectionIsNotCounted(t *testing.T) {
	rules := append(during(t, 0, 10*time.Second, door(fault.Blackholed)),
		fault.Rule{When: fault.When{Connection: fault.Range{From: 1, To: 1}}, Do: meaning(t, &fault.StatusSpec{Code: 503})})
	clk := clock.New(1)
	s := start(t, backends.Options{Rules: rules, Clock: clk})
	clk.Begin(time.Now().Add(-10 * time.Second))
	c := dial(t, s.Addr())
	send(t, c, get)
	if status, _ := answer(t, bufio.NewReader(c)); status != 503 {
		t.Errorf("the first client's connection got %d, want 503", status)
	}
}

// A client whose SYN isn't answered gets through when the host is back, by the
// kernel's own retransmission.
func TestPendingConnectSucceedsAfterTheBlackhole(t *testing.T) {
	s, _, begin := change(t, fault.Blackholed, fault.Open)
	var connected atomic.Bool
	done := make(chan error)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() {
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", s.Addr())
		if err == nil {
			connected.Store(true)
			c.Close()
		}
		done <- err
	}()
	time.Sleep(shortly) // for the first SYN to be dropped
	if connected.Load() {
		t.Error("connected while the host was gone")
	}
	begin()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestDoorOpensAndShutsAgainOnTheSamePort(t *testing.T) {
	clk := clock.New(1)
	rec := &record{}
	var rules fault.Rules
	for i := range 6 {
		at := time.Duration(i) * 100 * time.Millisecond
		rules = append(rules, during(t, at, at+50*time.Millisecond, door(doors[1+i%3]))...)
	}
	s := start(t, backends.Options{Rules: rules, Clock: clk, Sink: rec})
	clk.Begin(time.Now())
	eventually(t, "all windows", func() bool { return len(rec.of(event.FaultOff)) == 6 })
	if err := probe(s.Addr(), fault.Open); err != nil {
		t.Error(err)
	}
	on := rec.of(event.FaultOn)
	for i, off := range rec.of(event.FaultOff) {
		at := time.Duration(i) * 100 * time.Millisecond
		if on[i].At < at || off.At < at+50*time.Millisecond || off.Detail != on[i].Detail {
			t.Errorf("window %d from %v to %v, want from %v on for 50ms", i, on[i].At, off.At, at)
		}
	}
}
