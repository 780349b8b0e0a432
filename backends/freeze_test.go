package backends_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

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
		"answer": {&fault.RespondSpec{After: fault.For(200 * ms)}, 500 * ms},
		"drip":   {&fault.DripSpec{Every: 200 * ms, Bytes: 20}, 700 * ms}, // at 0, 500 and 700 ms
		"close":  {&fault.CloseSpec{CutSpec: fault.CutSpec{At: "header", Bytes: 5, Pause: 200 * ms}}, 500 * ms},
	} {
		for _, shut := range shut {
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
	for _, shut := range shut {
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
	for _, shut := range shut {
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
