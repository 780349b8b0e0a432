package backends_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
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
	c, err := connect(addr, wait)
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

var doors = append([]fault.Door{fault.Open, fault.Refusing}, shut...)

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
		s, err := backends.Start(placed(backends.Options{Rules: always(t, door(fault.Refusing))}))
		if err != nil {
			t.Fatal(err)
		}
		if err := probe(s.Addr(), fault.Refusing); err != nil {
			t.Error(err)
		}
		s.Close()
	}
	if overUnix {
		return
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

// A process that goes away leaves the requests of connections unread that were
// only to be cut; the kernel resets those.
func TestRefusalResetsWhatWasNeverRead(t *testing.T) {
	cut := fault.CutSpec{At: "accept", RespondSpec: fault.RespondSpec{After: fault.For(time.Hour)}}
	for _, spec := range []fault.Spec{&fault.CloseSpec{CutSpec: cut}, &fault.ResetSpec{CutSpec: cut}} {
		clk := clock.New(1)
		rules := append(during(t, 10*time.Second, 0, door(fault.Refusing)), always(t, spec)...)
		s := start(t, backends.Options{Rules: rules, Clock: clk})
		c := dial(t, s.Addr())
		send(t, c, get)
		clk.Begin(time.Now().Add(shortly - 10*time.Second)) // the request has arrived by then
		if got, how := rest(c); got != "" || how != "rst" {
			t.Errorf("got %q and %s, want rst", got, how)
		}
	}
}

// One that goes away with a body half read resets too, however little there was of it:
// what came with the head counts as unread until the script reads it.
func TestRefusalResetsWhatIsHalfRead(t *testing.T) {
	for _, tt := range []struct{ read, body, want string }{
		{"head", "12345", "rst"},
		{"3", "12345", "rst"},
		{"5", "12345", "fin"},
		{"all", "12345", "fin"},
		{"head", "", "fin"}, // nothing has come
		{"head", strings.Repeat("x", 20<<10), "rst"},
	} {
		spec := fault.RespondSpec{After: fault.For(time.Hour)}
		if err := spec.Read.UnmarshalText([]byte(tt.read)); err != nil {
			t.Fatal(err)
		}
		clk := clock.New(1)
		s := start(t, backends.Options{Rules: append(during(t, 10*time.Second, 0, door(fault.Refusing)), always(t, &spec)...), Clock: clk})
		c := dial(t, s.Addr())
		send(t, c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "+strconv.Itoa(max(len(tt.body), 5))+"\r\n\r\n"+tt.body)
		eventually(t, "the request", func() bool { return s.Counts().Requests == 1 })
		clk.Begin(time.Now().Add(shortly - 10*time.Second))
		if got, how := rest(c); got != "" || how != tt.want {
			t.Errorf("%q read of %d bytes: got %q and %s, want %s", tt.read, len(tt.body), got, how, tt.want)
		}
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
		rules = append(rules, during(t, at, at+50*time.Millisecond, door(doors[1+i%(len(doors)-1)]))...)
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
