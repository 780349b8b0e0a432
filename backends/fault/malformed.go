package fault

import (
	"fmt"
	"slices"
	"strings"
)

// MalformedSpec is `malformed: junk`, or `malformed: {what, after}`: an answer that
// isn't the HTTP that it should be.
type MalformedSpec struct {
	// What is wrong with the answer.
	What string `yaml:"what"`
	// After is how long the backend works before it answers, from the end of the
	// request; also one that is drawn, as behind wait.
	After Latency `yaml:"after"`
}

// Scalar takes the short form: what is wrong.
func (s *MalformedSpec) Scalar(text string) error {
	s.What = text
	_, err := s.Fault()
	return err
}

// malformation is one way in which an answer can be wrong.
type malformation struct {
	name       string
	head, body string
	end        Op // 0 keeps the connection
	// announced is the length that it may be taken for, -1 for none; chunked is true
	// when its chunks say where it ends.
	announced int64
	chunked   bool
}

const (
	ok200   = "HTTP/1.1 200 OK\r\n"
	length5 = "Content-Length: 5\r\n"
	chunk5  = "5\r\nhello\r\n"
)

// malformations are sorted by name.
func malformations() []malformation {
	return []malformation{
		// ngx_http_upstream_process_content_length: ngx_atoof fails, so there is no length.
		{name: "bad_length", head: ok200 + "Content-Length: 5x\r\n\r\n", body: "hello", end: Close, announced: -1},
		{name: "broken_chunk", head: ok200 + "Transfer-Encoding: chunked\r\n\r\n", body: chunk5 + "?\r\n", end: Stall, announced: -1},
		// The last one counts.
		{name: "conflicting_lengths", head: ok200 + length5 + "Content-Length: 8\r\n\r\n", body: "hello678", announced: 8},
		{name: "duplicate_length", head: ok200 + length5 + length5 + "\r\n", body: "hello", announced: 5},
		{name: "header_line", head: ok200 + "no colon at all\r\n" + length5 + "\r\n", body: "hello"},
		{name: "header_name", head: ok200 + "X\x01: 1\r\n" + length5 + "\r\n", body: "hello"},
		// ngx_http_proxy_process_status_line takes what has no status line for HTTP/0.9.
		{name: "http09", body: "hello\n", end: Close, announced: -1},
		{name: "junk", body: "\x16\x03\x01\x00\x7f\x01 this is no HTTP\n", end: Close, announced: -1},
		{name: "length_and_chunked", head: ok200 + length5 + "Transfer-Encoding: chunked\r\n\r\n", body: chunk5 + "0\r\n\r\n", chunked: true, announced: -1},
		{name: "no_last_chunk", head: ok200 + "Transfer-Encoding: chunked\r\n\r\n", body: chunk5, end: Close, chunked: true, announced: -1},
		{name: "status_line", body: "HTTP/1.1 2x0 OK\r\n" + length5 + "\r\nhello", end: Close, announced: -1},
		{name: "two_responses", head: ok200 + length5 + "\r\n", body: "hello" + ok200 + length5 + "\r\nagain", announced: 5},
	}
}

// Malformations are the words that malformed takes, sorted.
func Malformations() []string {
	var names []string
	for _, m := range malformations() {
		names = append(names, m.name)
	}
	return names
}

// Fault returns the answer; the error names the field that is wrong.
func (s *MalformedSpec) Fault() (Fault, error) {
	if s.What == "" {
		return Fault{}, fmt.Errorf("what: missing, as in {malformed: junk}")
	}
	all := malformations()
	i := slices.IndexFunc(all, func(m malformation) bool { return m.name == s.What })
	if i < 0 {
		return Fault{}, fmt.Errorf("what: %q is none of %s", s.What, strings.Join(Malformations(), ", "))
	}
	if err := s.After.checkAs("after"); err != nil {
		return Fault{}, err
	}
	m := &all[i]
	r := Response{
		Status: 200, Head: []byte(m.head), Announced: m.announced,
		Body: Body{Size: int64(len(m.body)), Text: []byte(m.body)},
	}
	if m.chunked {
		r.Announced = r.Body.Size // its own end
		if m.end == Close {
			r.Announced += int64(len("0\r\n\r\n"))
		}
	}
	sc := Script{Name: "malformed", Response: r, Steps: s.After.wait([]Step{{Op: ReadAll}})}
	sc.Steps = append(sc.Steps, Step{Op: Write, Len: -1})
	if m.end != 0 {
		sc.Steps = append(sc.Steps, Step{Op: m.end})
	}
	return Fault{Script: sc}, nil
}
