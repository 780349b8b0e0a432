package agree

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

// rounds bounds how often a case is made smaller: each round takes as long as
// its longest case.
const rounds = 25

// Shrink looks for the smallest case that still differs as a drawn one did. All
// cases that lack one thing run together; the first of them that differs is the
// next to be made smaller. It returns the finding itself when nothing smaller
// differs, or when the case wasn't drawn, and the smallest so far when the time is over.
func (o Options) Shrink(ctx context.Context, f Finding) (Finding, error) {
	o = o.withDefaults()
	o.Engines = []harness.Engine{f.Engine}
	until := time.Now().Add(cmp.Or(o.Shrinking, 2*time.Minute))
	for range rounds {
		if f.Case.Text == nil || !time.Now().Before(until) {
			return f, nil
		}
		smaller, err := o.smaller(ctx, f)
		if err != nil || smaller == nil {
			return f, err
		}
		f = *smaller
	}
	return f, nil
}

// smaller is a finding of a case that lacks one thing, nil when there is none.
func (o *Options) smaller(ctx context.Context, f Finding) (*Finding, error) {
	all := f.candidates()
	if len(all) == 0 {
		return nil, nil
	}
	findings, err := o.judged(ctx, all, o.Engines, o.Speed, 0)
	if err != nil {
		return nil, err
	}
	for i := range findings {
		if g := &findings[i]; g.Verdict == Differs {
			return g, g.listen(f.Case.Text.Listen)
		}
	}
	return nil, nil
}

// candidates are the cases that lack one thing. Each has a name and a port of its
// own, so that they run together; it keeps its name, because what is drawn by it
// would be drawn again under another.
func (f *Finding) candidates() []*Case {
	var all []*Case
	root, _, _ := strings.Cut(f.Case.Text.Name, "x")
	for i, text := range f.Case.Text.Smaller() {
		c, err := parsed(text.Renamed(fmt.Sprintf("%sx%d", root, i), fmt.Sprint(firstShrunk+i)), f.Case.Version)
		if err == nil && len(c.Nginx.NginxOnly) == 0 && c.steady() {
			all = append(all, c)
		}
	}
	return all
}

// listen moves the finding's case to a port that no other seed's case has.
func (f *Finding) listen(port string) error {
	c, err := parsed(f.Case.Text.Renamed(f.Case.Text.Name, port), f.Case.Version)
	if err == nil {
		f.Case = c
	}
	return err
}

// firstShrunk is the first port of the cases of a round.
const firstShrunk = 1000

// Text is the finding's case as a scenario that can be kept, with what the
// engine did as its expectations. Nothing for a case that wasn't drawn.
func (f *Finding) Text() string {
	if f.Case.Text == nil {
		return ""
	}
	c := *f.Case.Text
	c.Expect = nil
	for i := range c.Traffic {
		c.Expect = append(c.Expect, told(f.Run.Events, c.Traffic[i].Name)...)
	}
	return c.Text()
}

// told are the statuses and the peers of a traffic, as expectations.
func told(events []event.Event, traffic string) []string {
	status, peers := map[int]string{}, map[int][]string{}
	last := 0
	for _, e := range events {
		if e.Request.Traffic != traffic {
			continue
		}
		n := e.Request.N
		last = max(last, n)
		switch e.Kind {
		case event.AttemptStarted:
			peers[n] = append(peers[n], e.Peer)
		case event.ResponseEnded:
			status[n] = fmt.Sprint(e.Status)
			if e.Outcome != event.Passed {
				status[n] = e.Outcome.String()
			}
		}
	}
	var s, p []string
	for n := 1; n <= last; n++ {
		if status[n] == "" {
			status[n] = event.Closed.String()
		}
		s, p = append(s, status[n]), append(p, peers[n]...)
	}
	out := []string{fmt.Sprintf("sequence: {of: %s, status: [%s]}", traffic, strings.Join(s, ", "))}
	if len(p) > 0 {
		out = append(out, fmt.Sprintf("sequence: {of: %s, peers: [%s]}", traffic, strings.Join(p, ", ")))
	}
	return out
}
