package backends_test

import (
	"bufio"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// One more than there is room for is accepted when another has left, in order of
// arrival, or when other rules are in force.
func TestConnectionsWaitForRoom(t *testing.T) {
	rec := &record{}
	s := start(t, backends.Options{Sink: rec, Rules: always(t, &fault.ConnectionsSpec{Max: 2})})
	first, second, third, fourth := dial(t, s.Addr()), dial(t, s.Addr()), dial(t, s.Addr()), dial(t, s.Addr())
	for _, c := range []net.Conn{first, second} {
		send(t, c, get)
		answer(t, bufio.NewReader(c))
	}
	send(t, third, get)
	send(t, fourth, get)
	third.SetReadDeadline(time.Now().Add(shortly))
	if got, how := rest(third); got != "" || how != "timeout" || s.Counts().Connections != 2 {
		t.Fatalf("the third connection got %q and %s, %d were accepted", got, how, s.Counts().Connections)
	}
	second.Close()
	third.SetReadDeadline(time.Now().Add(patience))
	answer(t, bufio.NewReader(third))
	if n := s.Counts(); n.Connections != 3 || n.Open != 2 {
		t.Errorf("%+v, want 3 connections and 2 open", n)
	}
	if _, err := s.Replace(backends.Change{}); err != nil {
		t.Fatal(err)
	}
	answer(t, bufio.NewReader(fourth))
	if told := rec.of(event.BackendCut); len(told) != 0 {
		t.Errorf("told %v", told)
	}
}

func TestConnectionsThatThereIsNoRoomFor(t *testing.T) {
	for full, want := range map[string]string{"close": "fin", "reset": "rst"} {
		rec := &record{}
		s := start(t, backends.Options{Sink: rec, Rules: always(t, &fault.ConnectionsSpec{Max: 1, Full: full})})
		for range 3 {
			c := dial(t, s.Addr())
			send(t, c, get)
			answer(t, bufio.NewReader(c))
			more, err := connect(s.Addr(), patience)
			switch {
			case errors.Is(err, syscall.ECONNRESET) && full == "reset": // before connect() even returned
			case err != nil:
				t.Fatal(err)
			default:
				more.SetDeadline(time.Now().Add(patience))
				if overUnix { // a reset is what was sent and not read
					send(t, more, get)
				}
				if got, how := rest(more); got != "" || how != want {
					t.Errorf("%s: got %q and %s, want %s", full, got, how, want)
				}
				more.Close()
			}
			c.Close()
			eventually(t, "both to end", func() bool { return s.Connections() == 0 })
		}
		if told := rec.of(event.BackendCut); len(told) != 3 || told[0].Detail != "connections" {
			t.Errorf("%s: told %v, want three cuts", full, told)
		}
	}
}

// What still waits to be accepted is reset when the port is closed, as the kernel
// resets what is in its queue.
func TestClosingThePortResetsWhatWaits(t *testing.T) {
	for name, shut := range map[string]fault.Spec{"refuse": &fault.RefuseSpec{}, "shutdown": &fault.ShutdownSpec{}} {
		for waits, spec := range map[string]fault.Spec{
			"for room": &fault.ConnectionsSpec{Max: 1}, "for its turn": &fault.SlowAcceptSpec{Every: time.Hour},
		} {
			clk := clock.New(1)
			clk.Begin(time.Now())
			s := start(t, backends.Options{Clock: clk, Rules: always(t, spec)})
			dial(t, s.Addr()) // has the room, if there is a limit
			c := dial(t, s.Addr())
			send(t, c, get)
			c.SetReadDeadline(time.Now().Add(shortly))
			if got, how := rest(c); got != "" || how != "timeout" {
				t.Errorf("%s: got %q and %s", waits, got, how)
			}
			replace(t, s, 0, always(t, shut))
			c.SetReadDeadline(time.Now().Add(patience))
			if got, how := rest(c); got != "" || how != "rst" {
				t.Errorf("%s, then %s: got %q and %s, want rst", waits, name, got, how)
			}
		}
	}
}
