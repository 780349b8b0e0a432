package plan

import (
	"bufio"
	"fmt"
	"io"
)

// shownPauses is how many pauses of each user are written of a closed loop that
// only time bounds.
const shownPauses = 20

// WriteTo writes the plan as text, one instant a line, in scenario order. Two
// plans of the same scenario and seed are the same bytes.
func (p *Plan) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: w}
	b := bufio.NewWriter(c)
	fmt.Fprintf(b, "plan %s seed %d\n", p.Scenario.Title(), p.Seed)
	for _, d := range p.Doors {
		for _, ch := range d.Changes {
			fmt.Fprintf(b, "backend %s %s at %v\n", d.Backend, ch.Door, ch.At)
		}
	}
	for i := range p.Traffic {
		t := &p.Traffic[i]
		n := 0
		for at := range t.Arrivals() {
			n++
			fmt.Fprintf(b, "request %s/%d at %v%s\n", t.Spec.Name, n, at, t.from(n))
		}
		for u := 1; u <= t.Users(); u++ {
			fmt.Fprintf(b, "user %s %d starts at %v%s\n", t.Spec.Name, u, t.Start(u), t.from(u))
			shown := t.Spec.Load.Times
			if shown == 0 {
				shown = shownPauses
			}
			for k := 1; k <= shown; k++ {
				fmt.Fprintf(b, "request %s waits %v after the answer\n", t.Request(u, k), t.Pause(u, k))
			}
		}
	}
	err := b.Flush()
	return c.n, err
}

// from is where a request is sent from, nothing when the scenario doesn't say.
func (t *Traffic) from(n int) string {
	if len(t.Spec.Client.Addresses) == 0 {
		return ""
	}
	return " from " + t.Address(n).String()
}

// counter counts the bytes that reached w.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
