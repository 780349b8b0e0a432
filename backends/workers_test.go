package backends_test

import (
	"bufio"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
)

// Requests that come at once are worked on one after the other, and those for
// which there is no room are refused at once.
func TestWorkersAndTheirQueue(t *testing.T) {
	const takes = 200 * time.Millisecond
	// They come while the backend stands still, so that it reads them all at once.
	clk := clock.New(1)
	s := start(t, backends.Options{Clock: clk, Rules: fault.Rules{
		rule(t, fault.When{Until: 10 * time.Second}, &fault.FreezeSpec{}),
		rule(t, fault.When{}, &fault.WorkersSpec{Count: 2, Queue: fault.Room{Limited: true, N: 4}, Full: "429"}),
		rule(t, fault.When{}, &fault.RespondSpec{After: fault.For(takes)}),
	}})
	conns := make([]*bufio.Reader, 9)
	for i := range conns {
		c := dial(t, s.Addr())
		send(t, c, get)
		conns[i] = bufio.NewReader(c)
	}
	begun := time.Now()
	clk.Begin(begun.Add(-10 * time.Second))
	var mu sync.Mutex
	var all sync.WaitGroup
	var took []time.Duration
	statuses := map[int]int{}
	for _, r := range conns {
		all.Go(func() {
			status, _ := answer(t, r)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
			if status == 200 {
				took = append(took, time.Since(begun))
			}
		})
	}
	all.Wait()
	if statuses[200] != 6 || statuses[429] != 3 {
		t.Fatalf("got %v, want 2 at work, 4 waiting and 3 refused", statuses)
	}
	slices.Sort(took)
	for i, at := range took {
		if turn := time.Duration(i/2+1) * takes; at < turn {
			t.Errorf("answer %d came after %v, want at least %v", i+1, at, turn)
		}
	}
}
