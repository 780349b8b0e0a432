package backends_test

import (
	"bufio"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
)

// A graceful end: what is idle is closed, what was begun is finished, and nobody
// gets in any more, until the window is over.
func TestShutdown(t *testing.T) {
	const at, until = 200 * time.Millisecond, 700 * time.Millisecond
	clk := clock.New(1)
	s := start(t, backends.Options{Clock: clk, Rules: fault.Rules{
		rule(t, fault.When{From: at, Until: until}, &fault.ShutdownSpec{}),
		rule(t, fault.When{Path: "/slow"}, &fault.RespondSpec{After: fault.For(300 * time.Millisecond), Body: "slow"}),
	}})
	fresh, idle, slow := dial(t, s.Addr()), dial(t, s.Addr()), dial(t, s.Addr())
	clk.Begin(time.Now())
	send(t, idle, get)
	answer(t, bufio.NewReader(idle))
	clk.SleepUntil(t.Context(), 100*time.Millisecond, clock.Send)
	send(t, slow, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
	for what, c := range map[string]client{"fresh": fresh, "idle": idle} {
		if got, how := rest(c); got != "" || how != "fin" || clk.Now() < at {
			t.Errorf("%s: got %q and %s at %v, want fin at %v", what, got, how, clk.Now(), at)
		}
	}
	eventually(t, "the port's closing", func() bool {
		c, err := connect(s.Addr(), time.Second)
		if err == nil {
			c.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
	r := bufio.NewReader(slow)
	if _, body := answer(t, r); body != "slow" || clk.Now() < 400*time.Millisecond {
		t.Errorf("what was begun got %q at %v", body, clk.Now())
	}
	if got, how := rest(slow); got != "" || how != "fin" {
		t.Errorf("after its answer: got %q and %s, want fin", got, how)
	}
	clk.SleepUntil(t.Context(), until, clock.Send)
	eventually(t, "the restart", func() bool {
		c, err := connect(s.Addr(), time.Second)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// What waits in the accept queue of a process that ends is reset.
func TestShutdownResetsTheAcceptQueue(t *testing.T) {
	const at = 200 * time.Millisecond
	clk := clock.New(1)
	s := start(t, backends.Options{Clock: clk, Rules: fault.Rules{
		rule(t, fault.When{Until: at}, &fault.FreezeSpec{}),
		rule(t, fault.When{From: at}, &fault.ShutdownSpec{}),
	}})
	clk.Begin(time.Now())
	c := dial(t, s.Addr())
	send(t, c, get)
	if got, how := rest(c); got != "" || how != "rst" || clk.Now() < at {
		t.Errorf("got %q and %s at %v, want rst at %v", got, how, clk.Now(), at)
	}
}
