package fault

// Response is the response that a script's Write steps send: a head, then a body.
type Response struct {
	// Status is the status code in Head, 200 to 599.
	Status int
	// Head is the status line and header with its empty line, as it goes over the wire.
	Head []byte
	// Body is the body as it goes over the wire.
	Body Body
	// Announced is the Content-Length that Head gives, -1 when it gives none, so
	// that closing ends the body.
	Announced int64
}

// Size is the number of bytes of the whole response on the wire.
func (r *Response) Size() int64 { return int64(len(r.Head)) + r.Body.Size }

// Body is a body described by its size and content, so that megabytes cost
// nothing in the simulator.
type Body struct {
	// Size is the number of bytes.
	Size int64
	// Text is the body itself when it was given literally; then Size is its length.
	Text []byte
	// PDF is true for a body that is one valid PDF document of Size bytes;
	// otherwise a body without Text is filler.
	PDF bool
}
