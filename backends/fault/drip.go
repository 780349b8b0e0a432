package fault

import (
	"fmt"
	"time"
)

// DripSpec is `drip: {every, bytes, what, ...}`: the response comes in small
// pieces, so that no read of the proxy is long without a byte.
type DripSpec struct {
	// Every is the time between two pieces; default 1s.
	Every time.Duration `yaml:"every"`
	// Total is the time from the first piece to the last, instead of every.
	Total time.Duration `yaml:"total"`
	// Bytes of a piece; default 1.
	Bytes Size `yaml:"bytes"`
	// What drips: "header", "body" or "both" (the default); the rest comes in one go.
	What string `yaml:"what" jsonschema:"enum=header,enum=body,enum=both"`

	RespondSpec `yaml:",inline"`
}

// Fault returns the drip; the error names the field that is wrong.
func (s *DripSpec) Fault() (Fault, error) {
	if s.Rate != 0 {
		return Fault{}, fmt.Errorf("rate: a drip has its own pace; give every and bytes")
	}
	f, err := s.fault("drip")
	if err != nil {
		return Fault{}, err
	}
	every, piece := s.Every, int64(s.Bytes)
	if every == 0 {
		every = time.Second
	}
	if piece == 0 {
		piece = 1
	}
	if err := checkSpan("every", every); err != nil {
		return Fault{}, err
	}
	if piece < 0 {
		return Fault{}, fmt.Errorf("bytes: %d is less than 1", piece)
	}
	r := &f.Script.Response
	head, dripping := int64(len(r.Head)), int64(len(r.Head))+r.Body.Size
	switch s.What {
	case "", "both":
	case "header":
		dripping = head
	case "body":
		dripping -= head
	default:
		return Fault{}, fmt.Errorf("what: %q is none of header, body, both", s.What)
	}
	n := (dripping - 1) / piece // gaps
	if s.Total != 0 {
		if err := checkSpan("total", s.Total); err != nil {
			return Fault{}, err
		}
		switch {
		case s.Every != 0:
			return Fault{}, fmt.Errorf("total: there is every already; give one of the two")
		case n < 1:
			return Fault{}, fmt.Errorf("total: there is one piece only; give less bytes")
		}
		every = s.Total / time.Duration(n)
	}
	if n > maxPieces {
		return Fault{}, fmt.Errorf("bytes: %d pieces are more than %d", n+1, maxPieces)
	} else if float64(n)*float64(every) > float64(maxSpan) {
		return Fault{}, fmt.Errorf("every: %d pieces take longer than %v", n+1, maxSpan)
	}
	drop := Step{Op: Write, Len: -1, Chunk: piece, For: every}
	steps := []Step{drop}
	switch s.What {
	case "header":
		drop.Len = head
		steps = []Step{drop, {Op: Write, Len: -1}}
	case "body":
		steps = []Step{{Op: Write, Len: head}, drop}
	}
	f.Script.Steps = splice(f.Script.Steps, steps)
	return f, nil
}

// splice puts other steps in the place of the Write of the whole answer.
func splice(steps, with []Step) []Step {
	var out []Step
	for _, st := range steps {
		if st.Op == Write && st.Len < 0 {
			out = append(out, with...)
			continue
		}
		out = append(out, st)
	}
	return out
}
