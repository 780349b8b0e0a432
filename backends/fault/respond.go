package fault

import (
	"fmt"
	"strings"
	"time"
)

// RespondSpec is `respond: {status, headers, body, size, after, framing}`: an
// ordinary answer. The zero value answers 200 with a short text at once.
type RespondSpec struct {
	// Status code, 200 to 599; default 200.
	Status int `yaml:"status"`
	// Headers to add, in this order. Content-Length and Transfer-Encoding are refused,
	// because they follow from the body; "Connection: close" closes after the answer.
	Headers []Header `yaml:"headers"`
	// Body as literal text; default is the status in words.
	Body string `yaml:"body"`
	// Size is a number of filler bytes instead of a literal body.
	Size Size `yaml:"size"`
	// After is how long the backend works before it answers, from the end of the request.
	After time.Duration `yaml:"after"`
	// Framing says how the body ends: "length" announces it with Content-Length
	// (the default), "close" leaves that out and closes the connection.
	Framing string `yaml:"framing" jsonschema:"enum=length,enum=close"`
}

// Header is one header line.
type Header struct{ Name, Value string }

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
	sc := Script{Name: name, Response: s.response(), Steps: wait([]Step{{Op: ReadAll}}, s.After)}
	sc.Steps = append(sc.Steps, Step{Op: Write, Len: -1})
	if s.closes() {
		sc.Steps = append(sc.Steps, Step{Op: Close})
	}
	return sc
}

// closes says whether the backend closes after the answer.
func (s *RespondSpec) closes() bool {
	for _, h := range s.Headers {
		if strings.EqualFold(h.Name, "Connection") && strings.EqualFold(h.Value, "close") {
			return true
		}
	}
	return s.Framing == "close"
}

func (s *RespondSpec) response() Response {
	status := s.status()
	body := Body{Size: int64(s.Size)}
	if s.Size == 0 {
		text := s.Body
		if text == "" {
			text = reason(status) + "\n"
		}
		body = Body{Size: int64(len(text)), Text: []byte(text)}
	}
	return s.around(body)
}

// around puts the spec's head in front of a body. A status that can have no
// body gets none, and no length either.
func (s *RespondSpec) around(body Body) Response {
	status := s.status()
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", status, reason(status))
	for _, h := range s.Headers {
		fmt.Fprintf(&head, "%s: %s\r\n", h.Name, h.Value)
	}
	announced := body.Size
	switch {
	case bodyless(status):
		body, announced = Body{}, 0
	case s.Framing == "close":
		announced = -1
	default:
		fmt.Fprintf(&head, "Content-Length: %d\r\n", body.Size)
	}
	head.WriteString("\r\n")
	return Response{Status: status, Head: []byte(head.String()), Body: body, Announced: announced}
}

func (s *RespondSpec) status() int {
	if s.Status == 0 {
		return 200
	}
	return s.Status
}

// bodyless says whether a response with the status ends with its head (RFC 9112, 6.3).
func bodyless(status int) bool { return status == 204 || status == 304 }

// wait adds a wait to steps, if there is one.
func wait(steps []Step, d time.Duration) []Step {
	if d == 0 {
		return steps
	}
	return append(steps, Step{Op: Wait, For: d})
}

func (s *RespondSpec) validate() error {
	switch {
	case s.Status != 0 && (s.Status < 200 || s.Status > 599):
		return fmt.Errorf("status: %d is not in 200..599", s.Status)
	case s.Body != "" && s.Size != 0:
		return fmt.Errorf("size: there is a body already; give one of the two")
	case s.Size < 0 || s.Size > maxSize:
		return fmt.Errorf("size: %d is not in 0..%s", s.Size, maxSize)
	case bodyless(s.status()) && (s.Body != "" || s.Size != 0):
		return fmt.Errorf("body: a response with status %d has none", s.Status)
	case s.Framing != "" && s.Framing != "length" && s.Framing != "close":
		return fmt.Errorf("framing: %q is neither length nor close", s.Framing)
	}
	for _, h := range s.Headers {
		if err := h.validate(); err != nil {
			return fmt.Errorf("headers: %w", err)
		}
	}
	return checkSpan("after", s.After)
}

func (h Header) validate() error {
	switch {
	case h.Name == "" || strings.ContainsFunc(h.Name, notToken):
		return fmt.Errorf("%q is no header name", h.Name)
	case strings.EqualFold(h.Name, "Content-Length"), strings.EqualFold(h.Name, "Transfer-Encoding"):
		return fmt.Errorf("%s follows from the body; use size or framing", h.Name)
	case strings.ContainsAny(h.Value, "\r\n\x00"):
		return fmt.Errorf("the value of %s has a line break or a NUL", h.Name)
	}
	return nil
}

// notToken says whether r may not stand in a token (RFC 9110, 5.6.2).
func notToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
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
