package live

import (
	"strconv"
	"strings"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// head is the requests of one traffic up to what differs between them.
type head struct {
	before, after []byte
}

// newHead writes the head of a traffic's requests. Headers of the scenario go
// out as they are and replace ours; ours are Host, Content-Length (with a body,
// and for methods that are expected to have one) or Transfer-Encoding and, for a
// kept-alive connection in HTTP/1.0, Connection.
func newHead(t *scenario.Traffic, host string) head {
	var b strings.Builder
	version := "1.1"
	if t.Client.HTTP10 {
		version = "1.0"
	}
	b.WriteString(t.Method + " " + t.Path + " HTTP/" + version + "\r\n")
	given := func(name string) bool {
		for _, h := range t.Headers {
			if strings.EqualFold(h.Name, name) {
				return true
			}
		}
		return false
	}
	add := func(name, value string) {
		if !given(name) {
			b.WriteString(name + ": " + value + "\r\n")
		}
	}
	add("Host", host)
	for _, h := range t.Headers {
		b.WriteString(h.Name + ": " + h.Value + "\r\n")
	}
	switch {
	case t.Chunked:
		add("Transfer-Encoding", "chunked")
	case t.Body > 0, t.Method == "POST", t.Method == "PUT", t.Method == "PATCH":
		add("Content-Length", strconv.FormatInt(t.Body, 10))
	}
	if t.Client.HTTP10 && t.Client.Keepalive {
		add("Connection", "keep-alive")
	}
	b.WriteString(event.RequestHeader + ": " + t.Name + "/")
	return head{before: []byte(b.String()), after: []byte("\r\n\r\n")}
}

// append appends the head of request n to b.
func (h *head) append(b []byte, n int) []byte {
	b = append(b, h.before...)
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, h.after...)
}
