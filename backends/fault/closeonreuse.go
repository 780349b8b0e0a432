package fault

import "fmt"

// CloseOnReuseSpec is `close_on_reuse: {with}`: the keep-alive race, every time
// instead of once in a thousand. An idle connection stays; the first byte of a
// further request ends it and is answered with nothing else.
type CloseOnReuseSpec struct {
	// With is what the first byte is answered with: "fin" (the default), "reset",
	// or "blackhole" for nothing at all, as behind a NAT that forgot.
	With string `yaml:"with" jsonschema:"enum=fin,enum=reset,enum=blackhole"`
}

// Scalar takes the short form: the end alone.
func (s *CloseOnReuseSpec) Scalar(text string) error {
	s.With = text
	_, err := s.Fault()
	return err
}

// Fault returns the cut; the error names the field that is wrong.
func (s *CloseOnReuseSpec) Fault() (Fault, error) {
	if s.With == "blackhole" {
		return Fault{OnReuse: Stall}, nil
	}
	end, err := ending(s.With)
	if err != nil {
		return Fault{}, fmt.Errorf("with: %q is none of fin, reset, blackhole", s.With)
	}
	return Fault{OnReuse: end}, nil
}
