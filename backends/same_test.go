//go:build linux

package backends_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// Nobody who is connected to a backend can tell a freeze in the process from a
// SIGSTOP: what happens to connections before, during and after it is the same,
// also to those that wait in the accept queue or find it full, to those whose
// client left, and to a body that is half read or half written.
func TestFreezeIsLikeSIGSTOP(t *testing.T) {
	const backlog = 3
	seen := map[string]string{}
	var mu sync.Mutex
	t.Run("both", func(t *testing.T) {
		inBoth(t, func(t *testing.T, start func(backends.Options) either) {
			got := frozenLife(t, start, backlog)
			mu.Lock()
			defer mu.Unlock()
			seen[t.Name()] = got
		})
	})
	var all []string
	for name, got := range seen {
		all = append(all, got)
		t.Logf("%s:\n%s", name, got)
	}
	if len(all) != 2 || all[0] != all[1] {
		t.Error("they differ")
	}
}

// frozenLife says what clients see of a backend that is frozen for a while.
func frozenLife(t *testing.T, start func(backends.Options) either, backlog int) string {
	const freeze, thaw = 2 * time.Second, 5 * time.Second
	const size = 64 << 20
	rules := append(during(t, freeze, thaw, door(fault.Frozen)),
		fault.Rule{When: fault.When{Path: "/big"}, Do: meaning(t, &fault.RespondSpec{Size: size})},
		fault.Rule{When: fault.When{Path: "/slow"}, Do: meaning(t, &fault.RespondSpec{After: fault.For(3 * time.Second)})},
		fault.Rule{When: fault.When{Path: "/drip"}, Do: meaning(t, &fault.DripSpec{Every: 1500 * time.Millisecond, Bytes: 20})})
	clk, rec := clock.New(1), &record{}
	s := start(backends.Options{Rules: rules, Clock: clk, Sink: rec, Backlog: backlog})
	clk.Begin(time.Now())

	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	ask := func(c net.Conn, request, path string) {
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: a\r\n%s: %s\r\nConnection: close\r\n\r\n", path, event.RequestHeader, request)
	}
	// Before the freeze: one idle, one that has a half answer, one that waits for
	// its answer, and one that has sent half a request.
	idle, big, slow, drip, half := dial(t, s.Addr()), dial(t, s.Addr()), dial(t, s.Addr()), dial(t, s.Addr()), dial(t, s.Addr())
	ask(big, "big/1", "/big")
	ask(slow, "slow/1", "/slow")
	ask(drip, "drip/1", "/drip")
	send(t, half, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 10\r\n\r\nabc")
	eventually(t, "the freeze", func() bool { return len(rec.of(event.FaultOn)) == 1 })

	// During it: the idle one asks; others connect, ask, and stay or leave, until
	// the queue is full; the ones after that get no connection.
	ask(idle, "idle/1", "/")
	var waiting []client
	for i := range backlog + 4 {
		c, err := connect(s.Addr(), 200*time.Millisecond)
		if err != nil {
			say("connect %d: the queue is full: %v", i, full(err))
			continue
		}
		say("connect %d: connected", i)
		defer c.Close()
		ask(c, fmt.Sprintf("queued/%d", i+1), "/")
		switch i {
		case 1: // leaves in order
			c.Close()
		case 2: // is reset
			c.SetLinger(0)
			c.Close()
		default:
			waiting = append(waiting, c)
		}
	}
	send(t, half, "defghij")
	for name, c := range map[string]net.Conn{"idle": idle, "slow": slow, "half": half} {
		c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if n, err := c.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			say("%s: got something during the freeze: %v", name, err)
		}
	}
	if clk.Now() >= thaw {
		t.Fatal("the machine is too slow")
	}
	eventually(t, "the thaw", func() bool { return len(rec.of(event.FaultOff)) == 1 })

	// After it: everybody who is still there is answered.
	for i, c := range append([]client{idle, slow, drip, half}, waiting...) {
		c.SetDeadline(time.Now().Add(patience))
		got, how := rest(c)
		head, _, _ := strings.Cut(got, "\r\n")
		say("%d: %s, %d bytes, %s", i, head, len(got), how)
	}
	n, err := io.Copy(io.Discard, big)
	say("big: whole: %v, reset: %v", n > size, errors.Is(err, syscall.ECONNRESET))
	late := dial(t, s.Addr())
	ask(late, "late/1", "/")
	got, how := rest(late)
	say("late: %d bytes, %s", len(got), how)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	// What it read, also of those that left long ago.
	var read []string
	for _, e := range rec.of(event.BackendGot) {
		when := "before"
		if e.At >= thaw {
			when = "after"
		} else if e.At >= freeze+50*time.Millisecond {
			when = "DURING"
		}
		read = append(read, fmt.Sprintf("read %s %s", e.Request, when))
	}
	slices.Sort(read)
	return strings.Join(append(lines, read...), "\n")
}
