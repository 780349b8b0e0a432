package fault

import (
	"fmt"
	"time"
)

// CutSpec is what reset, close and hang have in common: where in the exchange the
// connection ends or stands still, and the response that doesn't get through.
type CutSpec struct {
	// At is where: "accept" (as soon as the connection was accepted, or as soon as
	// the few bytes of the request were there that read says), "request"
	// (after the request, or the part of it that read says; the default), "header"
	// (inside the response's header), "after_header" (before the first byte of its
	// body) or "body" (inside the body as it goes over the wire).
	At string `yaml:"at" jsonschema:"enum=accept,enum=request,enum=header,enum=after_header,enum=body"`
	// Bytes of the header or of the body that still go out; default half of it.
	Bytes Size `yaml:"bytes"`
	// Share of the body that still goes out, instead of bytes.
	Share Portion `yaml:"share"`
	// Pause is how long the connection stands still between its last byte and its end.
	Pause time.Duration `yaml:"pause"`

	RespondSpec `yaml:",inline"`
}

// Scalar takes the short form: the position alone.
func (s *CutSpec) Scalar(text string) error {
	if _, err := time.ParseDuration(text); err == nil {
		return fmt.Errorf("at: %q is a time; one before it is a step of its own, as in [{wait: %s}, reset]", text, text)
	}
	s.At = text
	return s.checkAt()
}

func (s *CutSpec) checkAt() error {
	switch s.At {
	case "", "accept", "request", "header", "after_header", "body":
		return nil
	}
	return fmt.Errorf("at: %q is none of accept, request, header, after_header, body", s.At)
}

// cut makes the fault that ends with end, Close, Reset or Stall.
func (s *CutSpec) cut(name string, end Op) (Fault, error) {
	if err := s.checkAt(); err != nil {
		return Fault{}, err
	}
	if err := s.RespondSpec.validate(); err != nil {
		return Fault{}, err
	}
	if s.Then != "" {
		return Fault{}, fmt.Errorf("then: %s is already what happens in the end", name)
	}
	if s.At == "accept" && s.Read.Some && (s.Read.Bytes < 1 || s.Read.Bytes > leastRequest) {
		return Fault{}, fmt.Errorf("read: at accept the first 1 to %d bytes of a request, by default none", leastRequest)
	}
	inside := s.At == "header" || s.At == "body"
	switch {
	case s.Bytes != 0 && !inside:
		return Fault{}, fmt.Errorf("bytes: only for at: header and at: body")
	case s.Share != 0 && s.At != "body":
		return Fault{}, fmt.Errorf("share: only for at: body")
	case s.Bytes != 0 && s.Share != 0:
		return Fault{}, fmt.Errorf("share: there are bytes already; give one of the two")
	case s.Pause != 0 && end == Stall:
		return Fault{}, fmt.Errorf("pause: a hang has no end to wait for")
	case s.Pause != 0 && !inside && s.At != "after_header":
		return Fault{}, fmt.Errorf("pause: only where a part of the response goes out; use after")
	}
	if err := checkSpan("pause", s.Pause); err != nil {
		return Fault{}, err
	}
	if s.At == "accept" {
		if !s.After.fixed() {
			return Fault{}, fmt.Errorf("after: one length of time only at accept, where no request is known yet")
		}
		return Fault{AtAccept: end, AcceptRead: int(s.Read.Bytes), AcceptAfter: s.After.For}, nil
	}
	sc := Script{Name: name, Response: s.response()}
	steps := s.begin(&sc.Response)
	if inside || s.At == "after_header" {
		head := int64(len(sc.Response.Head))
		n, err := s.sent(&sc.Response)
		if err != nil {
			return Fault{}, err
		}
		if s.Rate != 0 && n > head {
			body := s.Rate.step()
			body.Len = n - head
			steps = append(steps, Step{Op: Write, Len: head}, body)
		} else {
			steps = append(steps, Step{Op: Write, Len: n})
		}
		steps = wait(steps, s.Pause)
	}
	sc.Steps = append(steps, Step{Op: end})
	return Fault{Script: sc}, nil
}

// leastRequest is how many bytes every request has: "GET / HTTP/1.0", its line's
// end and an empty line.
const leastRequest = 18

// sent is the number of bytes of the response that go out.
func (s *CutSpec) sent(r *Response) (int64, error) {
	head, body := int64(len(r.Head)), r.Body.Size
	n := int64(s.Bytes)
	switch s.At {
	case "header":
		if n == 0 {
			n = head / 2
		}
		if n < 1 || n >= head {
			return 0, fmt.Errorf("bytes: %d is not inside the header, which has %d", n, head)
		}
		return n, nil
	case "body":
		if body == 0 {
			return 0, fmt.Errorf("at: the response has no body to end in")
		}
		switch {
		case s.Share != 0:
			n = int64(float64(s.Share) * float64(body))
		case n == 0:
			n = body / 2
		}
		if n < 0 || n >= body {
			return 0, fmt.Errorf("bytes: %d is not inside the body, which has %d", n, body)
		}
		return head + n, nil
	}
	return head, nil
}
