package fault

import (
	"bytes"
	"slices"
)

// Response is the response that a script's Write steps send: what comes before
// it, a head, then a body.
type Response struct {
	// Status is the status code in Head, 101 or 200 to 599.
	Status int
	// Interim is a whole interim response (1xx) that goes out before Head, if any.
	Interim []byte
	// Head is the status line and header with its empty line, as it goes over the wire.
	Head []byte
	// Body is the body as it goes over the wire.
	Body Body
	// Announced is the Content-Length that Head gives, which need not be that of
	// Body; -1 when it gives none, so that closing ends the body, unless that has chunks.
	Announced int64
}

// Size is the number of bytes of the whole response on the wire.
func (r *Response) Size() int64 { return r.HeadEnd() + r.Body.Size }

// HeadEnd is the number of bytes on the wire up to the end of Head.
func (r *Response) HeadEnd() int64 { return int64(len(r.Interim) + len(r.Head)) }

// End is the number of bytes on the wire at which the response is complete by
// its own framing, -1 when only the connection's end says so. It may lie beyond
// Size, or before it.
func (r *Response) End() int64 {
	switch {
	case r.Body.Chunks != nil:
		return r.Size()
	case r.Announced >= 0:
		return r.HeadEnd() + r.Announced
	}
	return -1
}

// Body is a body described by its size and content, so that megabytes cost
// nothing in the simulator.
type Body struct {
	// Size is the number of bytes on the wire.
	Size int64
	// Text is the body itself when it was given literally.
	Text []byte
	// PDF is true for a body that is one valid PDF document; otherwise a body
	// without Text is filler.
	PDF bool
	// Chunks is the framing of a chunked body, nil for a plain one.
	Chunks *Chunks
}

// Unannounced returns the sizes in bytes, on the wire and framing included, of those
// bodies that the rules may answer with whose head doesn't say how long they are: those
// in chunks, and those that the backend ends with the connection. Each is there once;
// chunks that never end as they should are not.
func (rs Rules) Unannounced() []int64 {
	var sizes []int64
	for i := range rs {
		if n := rs[i].Do.Script.unannounced(); n >= 0 && !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// unannounced is the size of the response's body if its head doesn't say it, otherwise -1.
func (s *Script) unannounced() int64 {
	r := &s.Response
	switch chunked := bytes.Contains(bytes.ToLower(r.Head), []byte("\ntransfer-encoding:")); {
	case r.Head == nil:
		return -1
	case r.Body.Chunks != nil, !chunked && r.Announced < 0 && s.Steps[len(s.Steps)-1].Op == Close:
		return r.Body.Size
	case chunked:
		return r.Announced // where a malformed one ends
	}
	return -1
}
