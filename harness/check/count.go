package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nolive/nolive/harness/analysis"
)

// some counts requests of which something is true.
type some struct {
	n       int
	numbers []int
	sides
}

func (s *some) add(x *analysis.Exchange, hit bool) {
	side := &s.others
	if hit {
		s.n++
		side = &s.hits
		if len(s.numbers) <= shownNumbers {
			s.numbers = append(s.numbers, x.Request.N)
		}
	}
	if !side.full() {
		side.add(append(starts(x), response(x))...)
	}
}

func (s *some) verdict(c Check, in *scope, want Span) Verdict {
	f := finding{want: want.String(), got: fmt.Sprintf("%d of %d", s.n, in.in), ok: want.Has(float64(s.n)), proof: s.against(want, float64(s.n))}
	if s.n > 0 {
		f.got += fmt.Sprintf(" (%s)", requests(s.numbers))
	}
	return verdict(c, in.nothingSent(), f)
}

// tally counts what clients saw against one answer.
type tally struct {
	sides
	hits  int
	whose origins // of the hits
	other []seenCount
}

type seenCount struct {
	seen  analysis.Seen
	n     int
	whose origins
}

func (t *tally) add(x *analysis.Exchange, is selector) {
	seen := x.Seen()
	if is.matches(seen) {
		t.hits++
		t.whose.add(x)
		if !t.sides.hits.full() {
			t.sides.hits.add(response(x))
		}
		return
	}
	if !t.others.full() {
		t.others.add(response(x))
	}
	for i := range t.other {
		if t.other[i].seen == seen {
			t.other[i].n++
			t.other[i].whose.add(x)
			return
		}
	}
	t.other = append(t.other, seenCount{seen: seen, n: 1})
	t.other[len(t.other)-1].whose.add(x)
}

// reasons tells, of a number that isn't allowed, who made the errors among it:
// "3 no live upstreams, 1 reset".
func (t *tally) reasons(ok bool) string {
	if ok {
		return ""
	}
	return t.whose.String()
}

// rest tells what else was seen: ", and 3 x 502", and unless ok of errors who made
// them: "(2 no live upstreams, 1 reset)".
func (t *tally) rest(ok bool) string {
	slices.SortFunc(t.other, func(a, b seenCount) int {
		return cmp.Or(cmp.Compare(b.n, a.n), a.seen.Compare(b.seen))
	})
	var parts []string
	for _, o := range t.other {
		part := fmt.Sprintf("%d x %s", o.n, o.seen)
		if why := o.whose.String(); why != "" && !ok {
			part += " (" + why + ")"
		}
		parts = append(parts, part)
	}
	if parts == nil {
		return ""
	}
	return ", and " + listed(parts, ", ", 4)
}
