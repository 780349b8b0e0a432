package check

import (
	"fmt"
	"slices"
)

// Problem is one mistake of a check, found without running anything.
type Problem struct {
	// Field is the key it concerns ("count"), "" for the check as a whole.
	Field string
	// Text says what is wrong and what to write, without the field.
	Text string
}

// String is "field: text".
func (p Problem) String() string {
	if p.Field == "" {
		return p.Text
	}
	return p.Field + ": " + p.Text
}

// Definition is a check with what a loader needs to refuse a bad one. Every
// kind in Kinds is one.
type Definition interface {
	Check
	// Validate returns every mistake that the check alone shows: something
	// missing, contradictory, or of the wrong unit.
	Validate() []Problem
	// Refs says what the check speaks of, to be compared with the scenario.
	Refs() Refs
}

// Refs is what a check names of its scenario.
type Refs struct {
	// Traffic is the value of `of`, "" when it has none.
	Traffic string
	// Backends are the names under `backend` or `peers`, each once; "*" is every backend.
	Backends []string
	// During is its window, the zero value for the whole run. An instant is the
	// window from it to a nanosecond later.
	During Window
	// NonIdempotent is true when the check makes sense only for a traffic whose
	// method may not be repeated.
	NonIdempotent bool
}

// Every is the backend name that stands for each backend by itself.
const Every = "*"

// refs fills in the common case.
func refs(of, backend string, during Window) Refs {
	r := Refs{Traffic: of, During: during}
	if backend != "" {
		r.Backends = []string{backend}
	}
	return r
}

// problems collects.
type problems []Problem

func (p *problems) add(field, format string, args ...any) {
	*p = append(*p, Problem{field, fmt.Sprintf(format, args...)})
}

// need reports a key without which the check says nothing.
func (p *problems) need(field, value, example string) {
	if value == "" {
		p.add(field, "is missing: write %s: %s", field, example)
	}
}

// given reports a span without which the check says nothing.
func (p *problems) given(field string, s Span, example string) {
	if !s.Set {
		p.add(field, "is missing: write %s: %s", field, example)
	}
}

// span checks the unit of one key.
func (p *problems) span(field string, s Span, unit Unit) {
	if !s.Set {
		return
	}
	if s.Unit != unit {
		if s.Unit == Count {
			p.add(field, "%s has no unit: want %s", s, unit)
		} else {
			p.add(field, "%s is not %s", s, unit)
		}
	}
	if s.Lo > s.Hi || s.Lo == s.Hi && (s.LoOpen || s.HiOpen) || s.Hi < 0 {
		p.add(field, "%s allows nothing", s)
	}
}

// counted checks the unit of a count, for which people write a share. instead is how
// one asks for that share.
func (p *problems) counted(s Span, instead string) {
	if s.Set && s.Unit == Percent {
		p.add("count", "%s is a share, and this a count such as 4: write %s", s, instead)
		return
	}
	p.span("count", s, Count)
}

// answer checks a status that Go code gave; one from a scenario was parsed.
func (p *problems) answer(field string, a Answer) {
	if _, ok := a.selector(); !ok {
		p.add(field, "%q is no status", string(a))
	}
}

func (p *problems) during(w Window) {
	if w.From < 0 || w.To < 0 || w.To != 0 && w.From >= w.To {
		p.add("during", "the window %s..%s never opens", written(w.From), written(w.To))
	}
}

// unique is a list without repetitions, in order of first appearance.
func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
