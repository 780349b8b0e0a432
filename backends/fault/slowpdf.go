package fault

import "fmt"

// SlowPDFSpec is `slow_pdf: {generate, size, rate}`: a report that takes its
// time, then is streamed as one valid PDF document of exactly the asked size.
type SlowPDFSpec struct {
	// Generate is how long the backend works before the first byte, from the
	// end of the request; also one that is drawn, as behind wait.
	Generate Latency `yaml:"generate"`
	// Size of the document; default 64KiB, at least 1KiB, at most 4GiB.
	Size Size `yaml:"size"`
	// Rate at which it is streamed; default as fast as the connection takes it.
	Rate Rate `yaml:"rate"`
}

// Fault returns the report; the error names the field that is wrong.
func (s *SlowPDFSpec) Fault() (Fault, error) {
	size := s.Size
	if size == 0 {
		size = 64 << 10
	}
	switch {
	case size < 1<<10 || size > 4<<30:
		return Fault{}, fmt.Errorf("size: %s is not in 1KiB..4GiB", size)
	}
	if err := s.Generate.checkAs("generate"); err != nil {
		return Fault{}, err
	}
	head := RespondSpec{Headers: []Header{{"Content-Type", "application/pdf"}}}
	sc := Script{
		Name:     "slow_pdf",
		Response: head.around(Body{Size: int64(size), PDF: true}),
		Steps:    s.Generate.wait([]Step{{Op: ReadAll}}),
	}
	if err := s.Rate.check(int64(size)); err != nil {
		return Fault{}, err
	}
	sc.Steps = append(sc.Steps, s.Rate.step())
	return Fault{Script: sc}, nil
}
