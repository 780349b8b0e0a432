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
	// Bytes of a piece; default 1.
	Bytes Size `yaml:"bytes"`
	// What drips: "header", "body" or "both" (the default); the rest comes in one go.
	What string `yaml:"what" jsonschema:"enum=header,enum=body,enum=both"`

	RespondSpec `yaml:",inline"`
}

// maxPieces bounds how many pieces a response is cut into.
const maxPieces = 1 << 20

// Fault returns the drip; the error names the field that is wrong.
func (s *DripSpec) Fault() (Fault, error) {
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
	head, dripping := int64(len(r.Head)), r.Size()
	var steps []Step
	switch s.What {
	case "", "both":
		steps = []Step{{Op: Write, Len: -1, Chunk: piece, For: every}}
	case "header":
		dripping = head
		steps = []Step{{Op: Write, Len: head, Chunk: piece, For: every}, {Op: Write, Len: -1}}
	case "body":
		dripping -= head
		steps = []Step{{Op: Write, Len: head}, {Op: Write, Len: -1, Chunk: piece, For: every}}
	default:
		return Fault{}, fmt.Errorf("what: %q is none of header, body, both", s.What)
	}
	if n := dripping / piece; n > maxPieces {
		return Fault{}, fmt.Errorf("bytes: %d pieces are more than %d", n, maxPieces)
	} else if float64(n)*float64(every) > float64(maxSpan) {
		return Fault{}, fmt.Errorf("every: %d pieces take longer than %v", n, maxSpan)
	}
	f.Script.Steps = splice(f.Script.Steps, steps)
	return f, nil
}

// splice puts other steps in the place of the one Write of an ordinary answer.
func splice(steps, with []Step) []Step {
	var out []Step
	for _, st := range steps {
		if st.Op == Write {
			out = append(out, with...)
			continue
		}
		out = append(out, st)
	}
	return out
}
