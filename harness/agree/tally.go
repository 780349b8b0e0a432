package agree

import (
	"fmt"
	"strings"
	"time"

	"github.com/nolive/nolive/harness"
)

// String is the verdict in a word.
func (v Verdict) String() string {
	return [...]string{"agree", "agree but for draws", "explained by their own instants", "differ", "undecided because the machine was late"}[v]
}

// String is one line.
func (p Progress) String() string {
	what := "cases"
	if p.Repeat > 0 {
		what = "again"
	}
	return fmt.Sprintf("%d %s, at most %v late: %d differ", p.Cases, what, p.Late.Round(time.Millisecond), p.Differ)
}

// Tally counts findings.
type Tally struct {
	counts map[harness.Engine]*[Undecided + 1]int
	// Disturbed are the findings that differed at first and not when they were
	// run again.
	disturbed map[harness.Engine]int
}

// Add counts findings.
func (t *Tally) Add(all []Finding) {
	if t.counts == nil {
		t.counts, t.disturbed = map[harness.Engine]*[Undecided + 1]int{}, map[harness.Engine]int{}
	}
	for i := range all {
		f := &all[i]
		if t.counts[f.Engine] == nil {
			t.counts[f.Engine] = new([Undecided + 1]int)
		}
		t.counts[f.Engine][f.Verdict]++
		if f.Repeats > 0 && f.Verdict != Differs {
			t.disturbed[f.Engine]++
		}
	}
}

// Undecided is how many findings prove nothing.
func (t *Tally) Undecided() int {
	n := 0
	for _, c := range t.counts {
		n += c[Undecided]
	}
	return n
}

// String is a line for each engine.
func (t *Tally) String() string {
	var b strings.Builder
	for _, e := range harness.Engines() {
		c := t.counts[e]
		if c == nil {
			continue
		}
		fmt.Fprintf(&b, "sim and %s:", e)
		sep := " "
		for v, n := range c {
			if n > 0 || Verdict(v) == Differs {
				fmt.Fprintf(&b, "%s%d %v", sep, n, Verdict(v))
				sep = ", "
			}
		}
		if n := t.disturbed[e]; n > 0 {
			fmt.Fprintf(&b, " (%d were run again)", n)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
