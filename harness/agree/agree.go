package agree

import (
	"context"
	"slices"
	"time"

	"github.com/nolive/nolive/harness"
)

// Options say what to hold against the simulator, and how.
type Options struct {
	// Engines beside the simulator.
	Engines []harness.Engine
	// Nginx is the nginx to run; "" is the one on PATH.
	Nginx string
	// Speed is scenario seconds per real second; 0 is 1, which is the surest.
	Speed float64
	// Together is how many cases run at the same time; 0 is 500.
	Together int
	// Keep lets every finding keep its run's events; otherwise those of many cases
	// that agree are let go.
	Keep bool
	// Dir keeps the real nginx's configurations and logs, in a folder for each run of
	// cases together, which a Finding names; it is made if need be. "" keeps nothing.
	Dir string
	// Shrinking is how long Shrink goes on to begin rounds; 0 is two minutes.
	Shrinking time.Duration
	// Say is told of what goes on. May be nil.
	Say func(Progress)
}

// Progress is one batch that ran.
type Progress struct {
	// Cases ran, Differ of them differed; Repeat counts from 0.
	Cases, Differ, Repeat int
	// Late is the worst lateness of the batch.
	Late time.Duration
}

// repeats is how often a case that differs is run again, each time at half the
// speed and with fewer others beside it, before the difference counts.
const repeats = 3

// waits is how often, after that, a case is run once more whose last run was so late
// that a difference proves nothing. One that is late to the end stays undecided.
const waits = 4

// alone is how many of the cases that are run again run at the same time in the
// end; before, four times as many each.
const alone = 40

// beside is how many cases run at the same time in repeat k.
func beside(k int) int {
	n := alone // and in what comes after the repeats
	for ; k < repeats; k++ {
		n *= 4
	}
	return n
}

func (o Options) withDefaults() Options {
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Together == 0 {
		o.Together = 500
	}
	if o.Say == nil {
		o.Say = func(Progress) {}
	}
	return o
}

// Check runs cases on the engines and returns a finding for each case on each.
// A case that differs is run again: its last run counts. So what a machine that
// was late did once doesn't count, and what a proxy does always does.
func (o Options) Check(ctx context.Context, all []*Case) ([]Finding, error) {
	o = o.withDefaults()
	var out []Finding
	for len(all) > 0 {
		n := min(len(all), o.Together)
		findings, err := o.settled(ctx, all[:n])
		if err != nil {
			return out, err
		}
		out = append(out, findings...)
		all = all[n:]
	}
	return out, nil
}

// settled runs cases that run together, and those that differ again.
func (o *Options) settled(ctx context.Context, all []*Case) ([]Finding, error) {
	speed := o.Speed
	out, err := o.judged(ctx, all, o.Engines, speed, 0)
	if err != nil {
		return nil, err
	}
	for k := 1; k <= repeats+waits; k++ {
		again := differing(out, k > repeats)
		if len(again) == 0 {
			break
		}
		speed = max(speed/2, 1)
		for len(again) > 0 {
			n := min(len(again), beside(k))
			more, err := o.judged(ctx, again[:n], enginesOf(out, again[:n]), speed, k)
			if err != nil {
				return nil, err
			}
			replace(out, more, k)
			again = again[n:]
		}
	}
	return out, nil
}

// judged runs cases once and compares them.
func (o *Options) judged(ctx context.Context, all []*Case, engines []harness.Engine, speed float64, repeat int) ([]Finding, error) {
	b, err := o.run(ctx, all, engines, speed)
	if err != nil {
		return nil, err
	}
	out := b.judge()
	p := Progress{Cases: len(all), Repeat: repeat}
	for _, all := range b.whole {
		for _, r := range all {
			p.Late = max(p.Late, r.Send.Max, r.Wait.Max)
		}
	}
	for i := range out {
		out[i].Lateness = p.Late
		out[i].doubt()
		if out[i].Verdict == Agreed && len(all) > alone && !o.Keep {
			out[i].Run.Events = nil // they are many
		}
	}
	p.Differ = len(differing(out, false))
	o.Say(p)
	return out, nil
}

// doubt takes a difference back that the machine may have made: cases are drawn so
// that up to the margin it makes none.
func (f *Finding) doubt() {
	if f.Verdict == Differs && f.Lateness > Margin {
		f.Verdict = Undecided
	}
}

// open says whether the finding doesn't count yet: a difference, or one that is
// explained although the machine was so late that nobody knows by what.
func (f *Finding) open() bool {
	return f.Verdict == Differs || f.Verdict == Undecided || f.Verdict == Explained && f.Lateness > Margin
}

// differing are the cases that have to run again, once each; of those that have run
// often enough only the undecided.
func differing(all []Finding, undecided bool) []*Case {
	var out []*Case
	seen := map[*Case]bool{}
	for i := range all {
		if c := all[i].Case; all[i].open() && !seen[c] && (!undecided || all[i].Verdict == Undecided) {
			seen[c] = true
			out = append(out, c)
		}
	}
	return out
}

// enginesOf are the engines on which cases have to run again.
func enginesOf(all []Finding, again []*Case) []harness.Engine {
	var out []harness.Engine
	for i := range all {
		if f := &all[i]; f.open() && slices.Contains(again, f.Case) && !slices.Contains(out, f.Engine) {
			out = append(out, f.Engine)
		}
	}
	return out
}

// replace puts a repetition's findings in the place of those that differed.
func replace(all, more []Finding, repeat int) {
	for i := range more {
		for j := range all {
			if f := &all[j]; f.Case == more[i].Case && f.Engine == more[i].Engine && f.open() {
				first, late := f.First, f.FirstLate
				if first == "" {
					first, late = f.String(), f.Lateness
				}
				*f = more[i]
				f.Repeats, f.First, f.FirstLate = repeat, first, late
			}
		}
	}
}
