//go:build e2e

package stream

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

// told is what became of each request, in order of sending and by traffic, and the marks.
func told(r *harness.Result) (lines []string, marks string) {
	by := map[event.Request]*[]string{}
	count := map[string]int{}
	var order []event.Request
	for _, e := range r.Events {
		if e.Kind == event.PeerMarked {
			count[e.Peer]++
		}
		if e.Request.N < 1 {
			continue
		}
		if by[e.Request] == nil {
			by[e.Request] = &[]string{}
			order = append(order, e.Request)
		}
		say := by[e.Request]
		switch e.Kind {
		case event.AttemptEnded:
			*say = append(*say, e.Peer+" "+e.Outcome.String())
		case event.NoLive:
			*say = append(*say, "no live upstreams")
		case event.ResponseEnded:
			text := e.Outcome.String()
			if e.Status != 0 {
				text = fmt.Sprint(e.Status)
				if e.Outcome != event.Passed {
					text += " " + e.Outcome.String()
				}
			}
			*say = append(*say, text)
		}
	}
	slices.SortFunc(order, func(a, b event.Request) int {
		if a.Traffic != b.Traffic {
			return strings.Compare(a.Traffic, b.Traffic)
		}
		return a.N - b.N
	})
	for _, q := range order {
		say := *by[q]
		// The client may know its answer before the proxy knows that the session is over.
		slices.SortStableFunc(say, func(a, b string) int { return place(a) - place(b) })
		lines = append(lines, strings.Join(say, ", "))
	}
	for peer, n := range count {
		marks += fmt.Sprintf(" %s=%d", peer, n)
	}
	parts := strings.Fields(marks)
	slices.Sort(parts)
	return lines, strings.Join(parts, " ")
}

func place(s string) int {
	switch {
	case strings.Contains(s, ":1 "), strings.HasPrefix(s, "web "):
		return 0
	case s == "no live upstreams":
		return 1
	}
	return 2
}

// explained expects that the model takes every decision of the run as recorded.
func explained(r *harness.Result) {
	GinkgoHelper()
	for _, u := range r.Replay() {
		Expect(u.Decisions).To(BeNumerically(">", 0))
		Expect(u.Different).To(BeZero(), "on %s, of %d decisions: %v", r.Engine, u.Decisions, u.First)
	}
}
