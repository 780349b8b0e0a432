package nginxconf

import (
	"bytes"
	"slices"
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// maxChanges is how often a request may be sent elsewhere
// (NGX_HTTP_MAX_URI_CHANGES).
const maxChanges = 10

// Way is one request's way through the configuration: rewriting, finding its
// location, and what comes after an answer that is an error
// (ngx_http_core_run_phases, ngx_http_special_response_handler). It is pure, and
// a copy of it goes on by itself once it has a request of its own (Fork).
type Way struct {
	cfg    *Config
	server *Server
	loc    *Location
	facts  variable.Facts
	rq     *variable.Request

	method string // the request's, until an error page makes it GET
	// target is the request's as sent; unparsed is true while it is passed on as
	// it is, placed while the path is the one that the location was found for.
	target           string
	unparsed, placed bool
	quoted, plus     bool // the target had a "%", a "+"
	internal         bool // it was sent elsewhere
	located          bool // a location was looked for
	unkept           bool // one has keepalive_timeout 0
	changed          bool // a rewrite asks for another location
	changes          int  // how often it may still be
	erred            bool // error pages are no longer looked at
	status           int  // replaces that of any answer; 0 doesn't
	length           int64
	location         string // of a redirect, whatever becomes of it
	complaints       []string
	closes, varied   bool
	refused          bool   // for the length of its body
	discarded        bool   // its body was thrown away
	doing            string // what nginx says that it does in lines about it, "" for nothing
	carried          carried
	own              []own // newest last
	begun            int   // how many there are once the request has begun
	reach            *Reach
}

// Begin takes in a request that arrived at a server: facts says what it is. The
// Path and Args of its Request are set here, and Method, Host, Captures and Own
// as they change. length is the body's, -1 for a body in chunks or none.
func (w *Way) Begin(c *Config, s *Server, facts variable.Facts, length int64) Step {
	rq := facts.Request()
	w.Wait(c, s, facts)
	w.method, w.target, w.length = rq.Method, rq.Target, length
	t, ok := parseTarget(c.Version, rq.Target)
	if !ok {
		return w.special(400)
	}
	if strings.HasPrefix(rq.Target, "?") || strings.Contains(rq.Target, " ") {
		w.unparsed = false // valid_unparsed_uri of ngx_http_process_request_uri
	}
	w.quoted, w.plus = t.quoted, strings.IndexByte(rq.Target, '+') >= 0
	rq.Path, rq.Args = t.path, t.args
	if s.regexes != nil {
		s.match(w)
	}
	step := w.enter()
	w.begun = len(w.own)
	return step
}

// Refuse is Begin for a request of which the head is answered with an error.
func (w *Way) Refuse(c *Config, s *Server, facts variable.Facts, status int) Step {
	w.Wait(c, s, facts)
	return w.special(status)
}

// Wait is the way of a request that hasn't begun, and never will if its head is
// refused: it stays at the server's level, and its variables can be asked for.
func (w *Way) Wait(c *Config, s *Server, facts variable.Facts) {
	rq := facts.Request()
	*w = Way{
		cfg: c, server: s, facts: facts, rq: rq, unparsed: true, placed: true, changes: maxChanges + 1, own: w.own[:0],
		reach: w.reach,
	}
	rq.Own, rq.Captures, rq.ProxyHost, rq.ProxyPort, rq.Status = nil, nil, "", "", 0
	rq.ServerName = s.name()
	rq.Joins, rq.Commas = c.Version.JoinsHeaderLines(), c.Version.SplitsCookiesAtCommas()
	rq.FillsTimes = c.Version.FillsTimes()
	if c.owns {
		rq.Own = w.lookUp
	}
	w.at(s.level())
}

// at moves the request to a location, or to a level of one.
func (w *Way) at(l *Location) {
	w.loc = l
	if w.reach != nil {
		w.reach.entered[l] = true
	}
}

// Fork makes the way, a copy of another, go on with a request of its own.
func (w *Way) Fork(facts variable.Facts) {
	old := w.rq
	w.facts, w.rq = facts, facts.Request()
	w.own = append([]own(nil), w.own...)
	w.rq.Path, w.rq.Args, w.rq.Method, w.rq.ServerName = old.Path, old.Args, old.Method, old.ServerName
	w.rq.Captures, w.rq.ProxyHost, w.rq.ProxyPort = old.Captures, old.ProxyHost, old.ProxyPort
	w.rq.Own = nil
	if w.cfg.owns {
		w.rq.Own = w.lookUp
	}
}

// Fixed says whether another request for the same target goes the same way,
// whatever else it is: nothing was asked of it but its target, and that its body
// isn't longer than BodyLimit.
func (w *Way) Fixed() bool { return !w.varied }

// BodyLimit is client_max_body_size where the request is now.
func (w *Way) BodyLimit() int64 { return *w.loc.sets().body }

// Last says whether nothing takes the place of a backend's answer any more: no error
// page is left, and X-Accel-Redirect means nothing.
func (w *Way) Last(p *Pass) bool {
	return (w.erred || w.loc.sets().errorPages == nil) && p.Ignores(accelRedirect)
}

// Pages are the statuses that an error page is for, where the request is now.
func (w *Way) Pages() []int {
	if w.erred {
		return nil
	}
	var out []int
	for _, p := range w.loc.sets().errorPages {
		out = append(out, p.status)
	}
	return out
}

// Refused says whether the request's body was too long to be read.
func (w *Way) Refused() bool { return w.refused }

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
	scheme, usual := "http://", "80"
	if w.rq.TLS {
		scheme, usual = "https://", "443"
	}
	if *s.port && port != usual {
		host += ":" + port
	}
	return scheme + host + location
}

// Discarded says whether the request's body was thrown away: nginx did so before
// it turned to an error page, and no backend gets it (ngx_http_send_response).
func (w *Way) Discarded() bool { return w.discarded }

func (w *Way) discard() { w.discarded, w.length = true, -1 }

// Redirect is the Location header that the way has come to, "" for none. It stays
// where an error page takes the place of a redirect, also with a backend's
// response: nginx never takes it back (ngx_http_clear_location).
func (w *Way) Redirect() string { return w.location }

// Complaints are the lines that nginx logs as errors about the way itself, each once
// and in its order: a body that is too long, a method that nobody may use, a
// proxy_pass with variables that comes to nobody, a redirection that never ends.
func (w *Way) Complaints() []string {
	c := w.complaints
	w.complaints = nil
	return c
}

// complain notes such a line. nginx adds what it is doing, once it had to do with a
// backend (ngx_http_upstream_finalize_request), until the request is sent to another
// path (ngx_http_handler).
func (w *Way) complain(line string) {
	w.complaints = append(w.complaints, line+w.doing)
}

// Closes says whether the client's connection is closed after the answer because
// of what the answer is (ngx_http_special_response_handler).
func (w *Way) Closes() bool { return w.closes }

// Location is the location block where the request is now, nil for the server's
// own level.
func (w *Way) Location() *Location {
	l := w.loc
	for l != nil && l.outer != nil {
		l = l.outer
	}
	if l == nil || l == w.server.own {
		return nil
	}
	return l
}

// Method is the request's method, which an error page with a path makes GET.
func (w *Way) Method() string { return w.method }

// Key is what the upstream's `hash` hashes.
func (w *Way) Key(u *upstream.Config) string { return u.Key.Value(w.facts) }

// Again makes the way, which is Fixed, that of another request for the same
// target at the same server.
func (w *Way) Again(method string, length int64) {
	w.method = method
	if !w.discarded {
		w.length = length
	}
	w.rq.Method = method
	w.own = w.own[:w.begun]
}

// Status is the client's status for a response that is passed on: an error page
// keeps that of the error (ngx_http_send_header).
func (w *Way) Status(backend int) int {
	if w.status != 0 {
		return w.status
	}
	return backend
}

// Added calls yield for every header that add_header adds to an answer with this
// status, in order.
func (w *Way) Added(status int, yield func(name, value string)) {
	safe := safeStatus(status)
	w.rq.Status = status
	all := w.loc.sets().headers
	for i, h := range all {
		if !safe && !h.always {
			continue
		}
		name, v := h.name, h.value.Value(w.facts)
		if Single([]byte(h.name)) {
			same := func(o addHeader) bool { return (safe || o.always) && strings.EqualFold(o.name, h.name) }
			if slices.ContainsFunc(all[:i], same) {
				continue
			}
			name, v, _ = w.Sets(status, []byte(h.name))
		}
		if v != "" {
			yield(name, v)
		}
	}
}

// Sets reports what add_header makes of a line of the backend's header of which there is
// one, Last-Modified or ETag: it takes its place, and without a value takes it away
// (ngx_http_set_response_header). Where ok is false the line stays.
func (w *Way) Sets(status int, line []byte) (name, value string, ok bool) {
	if !Single(line) {
		return "", "", false
	}
	safe := safeStatus(status)
	w.rq.Status = status
	for _, h := range w.loc.sets().headers {
		if (safe || h.always) && strings.EqualFold(h.name, string(line)) {
			name, value, ok = h.name, h.value.Value(w.facts), true
		}
	}
	return name, value, ok
}

// Single says whether add_header sets a header rather than adding to it.
func Single(name []byte) bool {
	return bytes.EqualFold(name, []byte("Last-Modified")) || bytes.EqualFold(name, []byte("ETag"))
}

// Adds says whether there is any add_header.
func (w *Way) Adds() bool { return len(w.loc.sets().headers) > 0 }
