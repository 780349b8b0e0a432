package plan

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"
)

// shownPauses is how many pauses of each user are written of a closed loop that
// only time bounds.
const shownPauses = 20

// WriteTo writes the plan as text, one instant a line, in order of time; of one
// instant in scenario order. What a user waits for isn't known before, so it stands
// behind the user's start. Two plans of the same scenario and seed are the same bytes.
func (p *Plan) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: w}
	b := bufio.NewWriter(c)
	fmt.Fprintf(b, "plan %s seed %d\n", p.Scenario.Title(), p.Seed)
	var sources []*source
	for _, s := range p.sources() {
		next, stop := iter.Pull2(s)
		defer stop()
		if src := (&source{next: next}); src.advance() {
			sources = append(sources, src)
		}
	}
	for len(sources) > 0 {
		first := 0
		for i, s := range sources {
			if s.at < sources[first].at {
				first = i
			}
		}
		sources[first].write(b)
		if !sources[first].advance() {
			sources = slices.Delete(sources, first, first+1)
		}
	}
	err := b.Flush()
	return c.n, err
}

// source yields the instants of one part of a plan in order, each with its text.
type source struct {
	next  func() (time.Duration, func(io.Writer), bool)
	at    time.Duration
	write func(io.Writer)
}

func (s *source) advance() (ok bool) {
	s.at, s.write, ok = s.next()
	return ok
}

// sources are the parts of the plan: every door, and every traffic.
func (p *Plan) sources() []iter.Seq2[time.Duration, func(io.Writer)] {
	var out []iter.Seq2[time.Duration, func(io.Writer)]
	for _, d := range p.Doors {
		out = append(out, func(yield func(time.Duration, func(io.Writer)) bool) {
			for _, ch := range d.Changes {
				if !yield(ch.At, func(w io.Writer) { fmt.Fprintf(w, "backend %s %s at %v\n", d.Backend, ch.Door, ch.At) }) {
					return
				}
			}
		})
	}
	for i := range p.Traffic {
		t := &p.Traffic[i]
		if t.Open() {
			out = append(out, t.requests)
		} else {
			out = append(out, t.users)
		}
	}
	return out
}

// requests are those of an open loop.
func (t *Traffic) requests(yield func(time.Duration, func(io.Writer)) bool) {
	n := 0
	for at := range t.Arrivals() {
		n++
		if !yield(at, func(w io.Writer) { fmt.Fprintf(w, "request %s/%d at %v%s\n", t.Spec.Name, n, at, t.from(n)) }) {
			return
		}
	}
}

// users are the starts of a closed loop's, with the pauses that follow.
func (t *Traffic) users(yield func(time.Duration, func(io.Writer)) bool) {
	order := make([]int, t.Users())
	for i := range order {
		order[i] = i + 1
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Start(a), t.Start(b)) })
	for _, u := range order {
		if !yield(t.Start(u), func(w io.Writer) { t.writeUser(w, u) }) {
			return
		}
	}
}

func (t *Traffic) writeUser(w io.Writer, u int) {
	fmt.Fprintf(w, "user %s %d starts at %v%s\n", t.Spec.Name, u, t.Start(u), t.from(u))
	shown := t.Spec.Load.Times
	if shown == 0 {
		shown = shownPauses
	}
	for k := 1; k <= shown; k++ {
		fmt.Fprintf(w, "request %s waits %v after the answer\n", t.Request(u, k), t.Pause(u, k))
	}
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
