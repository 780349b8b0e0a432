package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/report"
)

// progress shows one bar per run on sockets that is under way, on a terminal
// only. What is printed meanwhile goes through it, above the bars.
type progress struct {
	bars *mpb.Progress // nil without a terminal
	out  io.Writer
}

// newProgress draws on raw when it is a terminal of some width.
func newProgress(raw terminal, width int) *progress {
	if width == 0 {
		return &progress{out: raw}
	}
	bars := mpb.New(mpb.WithOutput(raw.Writer), mpb.WithWidth(30), mpb.WithRefreshRate(200*time.Millisecond))
	return &progress{bars: bars, out: bars}
}

// close waits until the last bar is gone from the terminal.
func (p *progress) close() {
	if p.bars != nil {
		p.bars.Wait()
	}
}

// bar is the progress of one run.
type bar struct {
	bar  *mpb.Bar
	name string
	out  io.Writer
}

func (p *progress) start(j job) bar {
	if p.bars == nil || j.engine == harness.Sim {
		return bar{}
	}
	name := j.scenario.Title() + " on " + j.name
	added, err := p.bars.Add(0, knownEnd(mpb.BarStyle().Build()),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name+" ")),
		mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
			now := report.Duration(time.Duration(s.Current).Round(time.Second))
			if s.Total <= 0 {
				return now + " so far"
			}
			return fmt.Sprintf(" %s of %s", now, report.Duration(time.Duration(s.Total)))
		})),
	)
	if err != nil { // the container is closed: nobody looks any more
		return bar{}
	}
	return bar{added, name, p.out}
}

// knownEnd draws a bar only for a run of which one knows how long it takes; one
// that is bounded by a count tells how far it is, and no bar that never fills.
func knownEnd(style mpb.BarFiller) mpb.BarFiller {
	return mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
		if s.Total <= 0 {
			return nil
		}
		return style.Fill(w, s)
	})
}

// at moves the bar to scenario time now of end, 0 for an unknown end.
func (b bar) at(now, end time.Duration) {
	if b.bar != nil {
		b.bar.SetTotal(int64(max(end, 0)), false)
		b.bar.SetCurrent(int64(min(max(now, 0), max(end, now))))
	}
}

// again says that a try is given up and repeated.
func (b bar) again(reason string, next float64) {
	if b.bar != nil {
		fmt.Fprintf(b.out, "%s: %s; again at speed %g\n", b.name, reason, next)
	}
}

// done takes the bar away.
func (b bar) done() {
	if b.bar != nil {
		b.bar.Abort(true)
	}
}
