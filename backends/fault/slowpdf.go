package fault

import (
	"fmt"
	"time"
)

// SlowPDFSpec is `slow_pdf: {generate, size, rate}`: a report that takes its
// time, then is streamed as one valid PDF document of exactly the asked size.
type SlowPDFSpec struct {
	// Generate is how long the backend works before the first byte, from the
	// end of the request.
	Generate time.Duration `yaml:"generate"`
	// Size of the document; default 64KiB, at least 1KiB, at most 4GiB.
	Size Size `yaml:"size"`
	// Rate at which it is streamed; default as fast as the connection takes it.
	Rate Rate `yaml:"rate"`
}

// ratePiece is how often a rate lets a piece go.
const ratePiece = 100 * time.Millisecond

// Fault returns the report; the error names the field that is wrong.
func (s *SlowPDFSpec) Fault() (Fault, error) {
	size := s.Size
	if size == 0 {
		size = 64 << 10
	}
	switch {
	case size < 1<<10 || size > 4<<30:
		return Fault{}, fmt.Errorf("size: %s is not in 1KiB..4GiB", size)
	case s.Rate < 0:
		return Fault{}, fmt.Errorf("rate: %d is less than 0", s.Rate)
	}
	if err := checkSpan("generate", s.Generate); err != nil {
		return Fault{}, err
	}
	head := RespondSpec{Headers: []Header{{"Content-Type", "application/pdf"}}}
	sc := Script{
		Name:     "slow_pdf",
		Response: head.around(Body{Size: int64(size), PDF: true}),
		Steps:    wait([]Step{{Op: ReadAll}}, s.Generate),
	}
	write := Step{Op: Write, Len: -1}
	if s.Rate > 0 {
		write.Chunk = max(1, int64(s.Rate)/int64(time.Second/ratePiece))
		write.For = time.Duration(float64(write.Chunk) / float64(s.Rate) * float64(time.Second))
		if n := int64(size) / write.Chunk; n > maxPieces {
			return Fault{}, fmt.Errorf("rate: %d pieces are more than %d", n, maxPieces)
		}
	}
	sc.Steps = append(sc.Steps, write)
	return Fault{Script: sc}, nil
}
