package fault

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// RespondSpec is `respond: {status, headers, body, after}`: an ordinary answer.
// The zero value answers 200 with a short text at once.
type RespondSpec struct {
	// Status is 200 to 599; 0 is 200.
	Status int
	// Headers are added as they are, in this order.
	Headers []Header
	// Body is literal text; Size is a number of filler bytes instead.
	Body string
	Size int64
	// After is how long the backend works before it answers, from the end of
	// the request.
	After time.Duration
}

// Header is one header line.
type Header struct{ Name, Value string }

// Respond returns the script of an ordinary answer.
func Respond(s RespondSpec) Script {
	sc := Script{Name: "respond", Response: s.response(), Steps: []Step{{Op: ReadAll}}}
	if s.After > 0 {
		sc.Steps = append(sc.Steps, Step{Op: Wait, For: s.After})
	}
	sc.Steps = append(sc.Steps, Step{Op: Write, Len: -1})
	return sc
}

func (s RespondSpec) response() Response {
	status := s.Status
	if status == 0 {
		status = 200
	}
	body := Body{Size: s.Size}
	if s.Size == 0 {
		text := s.Body
		if text == "" {
			text = http.StatusText(status) + "\n"
		}
		body = Body{Size: int64(len(text)), Text: []byte(text)}
	}
	return newResponse(status, s.Headers, body)
}

// newResponse puts a head with a Content-Length in front of a body. A status
// that can have no body gets none.
func newResponse(status int, headers []Header, body Body) Response {
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	for _, h := range headers {
		fmt.Fprintf(&head, "%s: %s\r\n", h.Name, h.Value)
	}
	if status == 204 || status == 304 {
		body = Body{}
	} else {
		fmt.Fprintf(&head, "Content-Length: %d\r\n", body.Size)
	}
	head.WriteString("\r\n")
	return Response{Status: status, Head: []byte(head.String()), Body: body, Announced: body.Size}
}
