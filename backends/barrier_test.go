package backends_test

import (
	"bufio"
	"net/http"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
)

// barrier is a rule that answers once a backend has read n requests.
func barrier(t *testing.T, backend string, n int, w fault.When) fault.Rule {
	t.Helper()
	f, err := fault.Compose(meaning(t, &fault.WaitForSpec{Backend: backend, Requests: n}), meaning(t, &fault.StatusSpec{Code: 201}))
	if err != nil {
		t.Fatal(err)
	}
	return fault.Rule{When: w, Do: f}
}

func TestBarrierIsMetByAnotherBackend(t *testing.T) {
	board := new(backends.Board)
	one := start(t, backends.Options{Name: "app1", Board: board, Rules: fault.Rules{barrier(t, "app2", 2, fault.When{})}})
	two := start(t, backends.Options{Name: "app2", Board: board})
	waiting := dial(t, one.Addr())
	send(t, waiting, get)
	other := dial(t, two.Addr())
	r := bufio.NewReader(other)
	for range 2 {
		waiting.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if got, how := rest(waiting); got != "" || how != "timeout" {
			t.Fatalf("got %q and %s before the barrier", got, how)
		}
		send(t, other, get)
		answer(t, r)
	}
	waiting.SetReadDeadline(time.Now().Add(patience))
	wr := bufio.NewReader(waiting)
	if status, _ := answer(t, wr); status != http.StatusCreated {
		t.Errorf("got %d, want 201", status)
	}
	// Once met, it stays so; the connection goes on as any other.
	send(t, waiting, get)
	answer(t, wr)
}

// Three at once, or none: each waits for the third.
func TestBarrierOfItsOwn(t *testing.T) {
	s := start(t, backends.Options{Name: "app1", Rules: fault.Rules{barrier(t, "app1", 3, fault.When{})}})
	var conns []*bufio.Reader
	for range 3 {
		c := dial(t, s.Addr())
		send(t, c, get)
		conns = append(conns, bufio.NewReader(c))
	}
	for _, r := range conns {
		answer(t, r)
	}
}

func TestWhoLeavesDoesNotWait(t *testing.T) {
	s := start(t, backends.Options{Name: "app1", Rules: fault.Rules{barrier(t, "app1", 3, fault.When{})}})
	c := dial(t, s.Addr())
	send(t, c, get)
	eventually(t, "the connection", func() bool { return s.Connections() == 1 })
	c.Close()
	eventually(t, "its end", func() bool { return s.Connections() == 0 })
}
