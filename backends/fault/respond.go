package fault

import (
	"fmt"
	"strings"
	"time"
)

// RespondSpec is `respond: {status, headers, body, ...}`: an ordinary answer.
// The zero value answers 200 with a short text at once.
type RespondSpec struct {
	// Status code, 200 to 599; default 200.
	Status int `yaml:"status"`
	// Headers to add, in this order. Content-Length and Transfer-Encoding are refused,
	// because they follow from the body; "Connection: close" closes after the answer.
	Headers []Header `yaml:"headers"`
	// HeaderSize pads the header to exactly this many bytes, with its status line
	// and its empty line.
	HeaderSize Size `yaml:"header_size"`
	// Body as literal text; default is the status in words.
	Body string `yaml:"body"`
	// Size is a number of filler bytes instead of a literal body.
	Size Size `yaml:"size"`
	// Rate at which the body goes out, bytes per second; default as fast as the
	// connection takes it.
	Rate Rate `yaml:"rate"`
	// After is how long the backend works before it answers, from the end of what
	// it reads of the request; also one that is drawn, as behind wait.
	After Latency `yaml:"after"`
	// Framing says how the body ends: "length" announces it with Content-Length
	// (the default), "chunked" sends it in chunks, "close" leaves the length out and
	// closes the connection, and "http10" does so as HTTP/1.0.
	Framing string `yaml:"framing" jsonschema:"enum=length,enum=chunked,enum=close,enum=http10"`
	// Length is the Content-Length to announce instead of the body's own.
	Length Size `yaml:"length"`
	// Chunk is the number of bytes of a chunk; default one chunk for all. For
	// framing: chunked.
	Chunk Size `yaml:"chunk"`
	// Trailers are header lines behind a chunked body.
	Trailers []Header `yaml:"trailers"`
	// Interim is the status of an interim response, 100 to 199 but not 101, that
	// goes out as soon as the request's head was read.
	Interim int `yaml:"interim"`
	// Read is how much of the request is read before the answer: "all" (the
	// default), "head", or a number of bytes of its body.
	Read Part `yaml:"read"`
	// Then is what happens after the answer: "keep" the connection as HTTP says
	// (the default), "close" as the system call does, which resets when a part of the
	// request wasn't read, "linger" (FIN, and what comes is read), "reset", or "hang"
	// with the connection open and nothing read any more.
	Then string `yaml:"then" jsonschema:"enum=keep,enum=close,enum=linger,enum=reset,enum=hang"`
}

// Respond returns the script of an ordinary answer.
func Respond(s RespondSpec) Script { return s.script("respond") }

// named is the script of an ordinary answer under another name.
func (s RespondSpec) named(name string) Script { return s.script(name) }

// Fault returns the answer; the error names the field that is wrong.
func (s *RespondSpec) Fault() (Fault, error) { return s.fault("respond") }

func (s *RespondSpec) fault(name string) (Fault, error) {
	if err := s.validate(); err != nil {
		return Fault{}, err
	}
	return Fault{Script: s.script(name)}, nil
}

func (s *RespondSpec) script(name string) Script {
	sc := Script{Name: name, Response: s.response()}
	sc.Steps = append(s.begin(&sc.Response), s.write(&sc.Response)...)
	switch s.Then {
	case "", "keep":
		if s.closes() {
			sc.Steps = append(sc.Steps, Step{Op: Close})
		}
	case "close":
		sc.Steps = append(sc.Steps, Step{Op: Drop})
	case "linger":
		sc.Steps = append(sc.Steps, Step{Op: Close})
	case "reset":
		sc.Steps = append(sc.Steps, Step{Op: Reset})
	case "hang":
		sc.Steps = append(sc.Steps, Step{Op: Stall})
	}
	return sc
}

// begin is what comes before the first byte of the answer.
func (s *RespondSpec) begin(r *Response) []Step {
	var steps []Step
	if n := int64(len(r.Interim)); n > 0 {
		steps = []Step{{Op: ReadHead}, {Op: Write, Len: n}}
	}
	return s.After.wait(append(steps, s.Read.step()))
}

// write is the answer itself.
func (s *RespondSpec) write(r *Response) []Step {
	if s.Rate == 0 {
		return []Step{{Op: Write, Len: -1}}
	}
	return []Step{{Op: Write, Len: int64(len(r.Head))}, s.Rate.step()}
}

// closes says whether the backend closes after the answer.
func (s *RespondSpec) closes() bool {
	for _, h := range s.Headers {
		if strings.EqualFold(h.Name, "Connection") && strings.EqualFold(h.Value, "close") {
			return true
		}
	}
	return s.Framing == "close" || s.Framing == "http10"
}

// wait adds a wait to steps, if there is one.
func wait(steps []Step, d time.Duration) []Step {
	if d == 0 {
		return steps
	}
	return append(steps, Step{Op: Wait, For: d})
}

// maxSpan is the longest wait that is taken, a year: sums of waits stay far
// from the end of time.Duration.
const maxSpan = 365 * 24 * time.Hour

// checkSpan says what is wrong with a wait.
func checkSpan(field string, d time.Duration) error {
	if d < 0 || d > maxSpan {
		return fmt.Errorf("%s: %v is not in 0s..%v", field, d, maxSpan)
	}
	return nil
}
