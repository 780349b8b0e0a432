package analysis

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nolive/nolive/harness/event"
)

func TestEventsAfterTheEndOfAnExchange(t *testing.T) {
	r := recorded(t, 200*time.Second, whole+`
		120 got r/1 peer=a
		120 ended r/1#1 peer=a outcome=aborted
		121 sent r/2
	`)
	if len(r.Exchanges) != 2 || len(r.Exchanges[0].Got) != 2 || r.Exchanges[1].Request.N != 2 {
		t.Errorf("exchanges: %v", r.Exchanges)
	}
	if len(r.Stragglers) != 2 || r.Stragglers[0].Kind != event.BackendGot || r.Stragglers[0].Peer != "a" {
		t.Errorf("stragglers: %v", r.Stragglers)
	}
}

// Sources keep their own order, but not that between them: whatever the
// interleaving, the exchange is the same.
func TestSourcesMayInterleave(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(whole), "\n")
	source := func(line string) int {
		switch strings.Fields(line)[1] {
		case "sent", "response":
			return 0
		case "got":
			return 1
		}
		return 2
	}
	rapid.Check(t, func(rt *rapid.T) {
		var queues [3][]string
		for _, l := range lines {
			queues[source(l)] = append(queues[source(l)], l)
		}
		// Two requests, so that numbers are met before and after one another.
		var order []string
		for len(order) < len(lines) {
			q := rapid.IntRange(0, 2).Draw(rt, "source")
			if len(queues[q]) > 0 {
				order = append(order, queues[q][0])
				queues[q] = queues[q][1:]
			}
		}
		// What a backend got is part of the exchange only if it came before the end.
		if source(order[len(order)-1]) == 1 {
			return
		}
		r := recorded(t, time.Hour, strings.Join(order, "\n"))
		if diff := cmp.Diff([]*Exchange{wholeExchange}, r.Exchanges); diff != "" {
			rt.Fatalf("%s\n%s", strings.Join(order, "\n"), diff)
		}
	})
}

func TestRequestsMayBeSeenOutOfOrder(t *testing.T) {
	r := recorded(t, time.Minute, `
		1 got  r/2 peer=a
		1 sent r/3
		1 got  r/1 peer=a
		1 sent r/2
		1 sent r/1
		2 answered r/1 status=200
		2 answered r/2 status=200
		2 answered r/3 status=200
		2 response r/3 outcome=passed status=200
		2 response r/1 outcome=passed status=200
		2 response r/2 outcome=passed status=200
	`)
	var got []int
	for _, x := range r.Exchanges {
		got = append(got, x.Request.N*10+len(x.Got))
	}
	if diff := cmp.Diff([]int{30, 11, 21}, got); diff != "" || len(r.Stragglers) > 0 {
		t.Error(diff, r.Stragglers)
	}
}
