package backends_test

import (
	"bufio"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
)

// journal keeps a backend's own log.
type journal struct{ told[backends.Entry] }

func (j *journal) Note(e backends.Entry) { j.add(e) }

// of are the entries that tell of one thing.
func (j *journal) of(what string) []backends.Entry {
	return j.where(func(e backends.Entry) bool { return e.What == what })
}

func replace(t *testing.T, s *backends.Server, ttl time.Duration, rules fault.Rules) {
	t.Helper()
	if _, err := s.Replace(backends.Change{Rules: rules, TTL: ttl}); err != nil {
		t.Fatal(err)
	}
}

// ask sends a request on a kept connection and returns the status.
func ask(t *testing.T, c interface {
	Write([]byte) (int, error)
}, r *bufio.Reader) int {
	t.Helper()
	if _, err := c.Write([]byte(get)); err != nil {
		t.Fatal(err)
	}
	status, _ := answer(t, r)
	return status
}

// What was begun under the old rules ends under them; what comes after gets the
// new ones, on the same connection too, and the log says which.
func TestAChangeIsAtomic(t *testing.T) {
	log := &journal{}
	s := start(t, backends.Options{Log: log, Rules: always(t, &fault.StatusSpec{Code: 201, After: fault.For(300 * time.Millisecond)})})
	slow, other := dial(t, s.Addr()), dial(t, s.Addr())
	send(t, slow, get)
	eventually(t, "the request", func() bool { return len(log.of("request")) == 1 })
	replace(t, s, 0, always(t, &fault.StatusSpec{Code: 503}))
	r := bufio.NewReader(other)
	if got := ask(t, other, r); got != 503 {
		t.Errorf("after the change: got %d, want 503", got)
	}
	rs := bufio.NewReader(slow)
	if got, _ := answer(t, rs); got != 201 {
		t.Errorf("begun before the change: got %d, want 201", got)
	}
	if got := ask(t, slow, rs); got != 503 {
		t.Errorf("the same connection after the change: got %d, want 503", got)
	}
	if _, err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, other, r); got != 201 {
		t.Errorf("after the reset: got %d, want 201", got)
	}
	var told []string
	for _, e := range log.of("request") {
		told = append(told, fmt.Sprintf("%d/%d %s %d.%d", e.Version, e.Rule, e.Fault, e.Connection, e.Exchange))
	}
	if got, want := strings.Join(told, ", "), "1/1 status 1.1, 2/1 status 2.1, 2/1 status 1.2, 3/1 status 2.2"; got != want {
		t.Errorf("the log has %s, want %s", got, want)
	}
	if got := s.Counts(); got.Requests != 4 || got.Connections != 2 {
		t.Errorf("got %+v, want 4 requests on 2 connections", got)
	}
}

// Every door can be shut and opened by a change while connections are open, and
// the change holds when Replace returns.
func TestAChangeOfTheDoor(t *testing.T) {
	for _, d := range doors[1:] {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			s := start(t, backends.Options{})
			c := dial(t, s.Addr())
			r := bufio.NewReader(c)
			ask(t, c, r)
			for range 3 {
				replace(t, s, 0, always(t, door(d)))
				if err := probe(s.Addr(), d); err != nil {
					t.Fatalf("shut: %v", err)
				}
				if d != fault.Refusing {
					send(t, c, get)
					c.SetReadDeadline(time.Now().Add(shortly))
					if b, err := r.Peek(1); err == nil {
						t.Fatalf("the open connection got %q", b)
					}
					c.SetReadDeadline(time.Now().Add(patience))
				}
				replace(t, s, 0, nil)
				if err := probe(s.Addr(), fault.Open); err != nil {
					t.Fatalf("open: %v", err)
				}
				if d != fault.Refusing {
					if got, _ := answer(t, r); got != 200 {
						t.Fatalf("the open connection got %d", got)
					}
				}
			}
		})
	}
}

// A write that is under way stands still when a change freezes the backend.
func TestAChangeFreezesAWrite(t *testing.T) {
	const size = 256 << 20
	s := start(t, backends.Options{Rules: always(t, &fault.RespondSpec{Size: size})})
	c := dial(t, s.Addr())
	send(t, c, get)
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	replace(t, s, 0, always(t, door(fault.Frozen)))
	if n := stalls(c, size, c.Read); n >= size {
		t.Error("the whole answer came")
	}
}

// Sets with a TTL lie on top of each other, and what is below goes on meanwhile.
func TestAChangeRevertsByItself(t *testing.T) {
	clk := clock.New(1)
	log := &journal{}
	clk.Begin(time.Now())
	s := start(t, backends.Options{Clock: clk, Log: log, Rules: always(t, &fault.StatusSpec{Code: 201})})
	c := dial(t, s.Addr())
	r := bufio.NewReader(c)
	replace(t, s, 1500*time.Millisecond, always(t, &fault.StatusSpec{Code: 202}))
	replace(t, s, 300*time.Millisecond, always(t, door(fault.Frozen)))
	if got := s.InForce(); got.Version != 3 || got.Until-got.Since != 300*time.Millisecond {
		t.Errorf("in force: version %d from %v to %v", got.Version, got.Since, got.Until)
	}
	send(t, c, get)
	got, _ := answer(t, r)
	first := log.of("revert")
	if got != 202 || len(first) != 1 || first[0].Version != 2 {
		t.Errorf("got %d, reverted %v, want 202 and version 2", got, first)
	}
	eventually(t, "the second revert", func() bool { return len(log.of("revert")) == 2 })
	if got := ask(t, c, r); got != 201 {
		t.Errorf("got %d, want 201", got)
	}
	for i, e := range log.of("revert") {
		due := log.of("replace")[1-i].At + []time.Duration{300 * time.Millisecond, 1500 * time.Millisecond}[i]
		if e.At < due || e.At > due+time.Second {
			t.Errorf("reverted at %v, due at %v", e.At, due)
		}
	}
	// Two that end together leave what was below both.
	replace(t, s, 200*time.Millisecond, always(t, &fault.StatusSpec{Code: 202}))
	replace(t, s, 500*time.Millisecond, always(t, &fault.StatusSpec{Code: 203}))
	eventually(t, "the third revert", func() bool { return len(log.of("revert")) == 3 })
	if got := ask(t, c, r); got != 201 {
		t.Errorf("got %d, want 201", got)
	}
	// A change for good has nothing below it.
	replace(t, s, 200*time.Millisecond, always(t, &fault.StatusSpec{Code: 202}))
	replace(t, s, 0, always(t, &fault.StatusSpec{Code: 204}))
	time.Sleep(300 * time.Millisecond)
	if got := ask(t, c, r); got != 204 {
		t.Errorf("got %d, want 204", got)
	}
}

// The numbers and windows of a change count from it.
func TestAChangeCountsAnew(t *testing.T) {
	s := start(t, backends.Options{Rules: fault.Rules{{When: fault.When{Request: fault.Range{From: 2, To: 2}}, Do: meaning(t, &fault.StatusSpec{Code: 501})}}})
	old := dial(t, s.Addr())
	r := bufio.NewReader(old)
	statuses := func(n int) (out []int) {
		for range n {
			out = append(out, ask(t, old, r))
		}
		return out
	}
	if got := fmt.Sprint(statuses(3)); got != "[200 501 200]" {
		t.Errorf("at first: got %s", got)
	}
	replace(t, s, 0, fault.Rules{
		{When: fault.When{Connection: fault.Range{From: 1, To: 1}}, Do: meaning(t, &fault.StatusSpec{Code: 502})},
		{When: fault.When{Request: fault.Range{From: 1, To: 1}}, Do: meaning(t, &fault.StatusSpec{Code: 503})},
		{When: fault.When{From: time.Hour}, Do: meaning(t, &fault.StatusSpec{Code: 504})},
	})
	if got := fmt.Sprint(statuses(2)); got != "[503 200]" {
		t.Errorf("after the change: got %s", got)
	}
	fresh := dial(t, s.Addr())
	if got := ask(t, fresh, bufio.NewReader(fresh)); got != 502 {
		t.Errorf("a new connection: got %d, want 502", got)
	}
	if got := s.InForce(); fmt.Sprint(got.Used) != "[1 1 0]" || got.Unmatched != 1 {
		t.Errorf("used %v and %d unmatched, want [1 1 0] and 1", got.Used, got.Unmatched)
	}
	if _, err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(statuses(3)); got != "[200 501 200]" {
		t.Errorf("after the reset: got %s", got)
	}
}

func TestAChangeThatCantBeMeantIsRefused(t *testing.T) {
	s := start(t, backends.Options{})
	for _, c := range []backends.Change{
		{Rules: fault.Rules{{}}},
		{TTL: -time.Second},
	} {
		if _, err := s.Replace(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
	if v := s.InForce().Version; v != 1 {
		t.Errorf("version %d is in force, want 1", v)
	}
	waits := start(t, backends.Options{Clock: clock.New(1)})
	if _, err := waits.Replace(backends.Change{}); err == nil {
		t.Error("a change before the beginning was taken")
	}
	gone := start(t, backends.Options{})
	gone.Close()
	if _, err := gone.Replace(backends.Change{}); err != backends.ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}

// Changes, requests and the end may come at any time.
func TestChangesUnderLoad(t *testing.T) {
	s := start(t, backends.Options{})
	stop := time.Now().Add(500 * time.Millisecond)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for time.Now().Before(stop) {
				c := dial(t, s.Addr())
				c.SetDeadline(time.Now().Add(patience))
				send(t, c, "GET / HTTP/1.0\r\n\r\n")
				if got, how := rest(c); how == "timeout" {
					t.Errorf("got %q and %s", got, how)
				}
				c.Close()
			}
		})
	}
	for time.Now().Before(stop) {
		replace(t, s, 0, always(t, door(fault.Frozen)))
		replace(t, s, time.Millisecond, always(t, &fault.CloseSpec{CutSpec: fault.CutSpec{At: "header"}}))
		replace(t, s, 0, nil)
	}
	all.Wait()
}
