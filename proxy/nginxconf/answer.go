package nginxconf

// Step is what happens next to a request. Pass is nil where nginx answers itself.
type Step struct {
	// Pass is how the request is passed on, with its Upstream; URI the target as
	// the backend gets it.
	Pass *Pass
	URI  string
	// Answer is nginx's own answer.
	Answer Answer
}

// Answer is one of nginx's own answers.
type Answer struct {
	Status int
	// Silent is true where the connection is closed without an answer; Status is
	// what nginx logs.
	Silent bool
	// Page is the status of nginx's built-in page that is the body; 0 is Text.
	Page int
	Text string
	// Nobody is true for the 404 where the configuration says of no one that they
	// answer: nginx looks for a file.
	Nobody bool
	// ContentType is that of Text.
	ContentType string
	// Location is the header of a redirect; one that begins with "/" is made
	// absolute by Way.Absolute.
	Location string
	// Redirect is true for a return that has the header also when it is empty.
	Redirect bool
}

// Status is the client's status for a response that is passed on: an error page
// keeps that of the error (ngx_http_send_header).
func (w *Way) Status(backend int) int {
	if w.status != 0 {
		return w.status
	}
	return backend
}

// Redirect is the Location header that the way has come to, "" for none. It stays
// where an error page takes the place of a redirect, also with a backend's
// response: nginx never takes it back (ngx_http_clear_location).
func (w *Way) Redirect() string { return w.location }

// Absolute is a Location header as it is sent: nginx puts scheme and host in
// front of a path (ngx_http_header_filter). addr and port are those at which the
// request arrived.
func (w *Way) Absolute(location, addr, port string) string {
	s := w.loc.sets()
	if location == "" || location[0] != '/' || !*s.absolute {
		return location
	}
	host := w.rq.Host
	if *s.name {
		host = w.server.name()
	}
	if host == "" {
		host = addr
	}
	if *s.port && port != "80" {
		host += ":" + port
	}
	return "http://" + host + location
}

// Added calls yield for every header that add_header adds to an answer with this
// status, in order.
func (w *Way) Added(status int, yield func(name, value string)) {
	safe := safeStatus(status)
	w.rq.Status = status
	for _, h := range w.loc.sets().headers {
		if !safe && !h.always {
			continue
		}
		if v := h.value.Value(w.facts); v != "" {
			yield(h.name, v)
		}
	}
}

// Adds says whether there is any add_header.
func (w *Way) Adds() bool { return len(w.loc.sets().headers) > 0 }
