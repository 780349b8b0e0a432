package reference

import (
	"bytes"
	"slices"

	"github.com/nolive/nolive/proxy/wire"
)

var (
	serverHeader   = []byte("Server")
	dateHeader     = []byte("Date")
	contentType    = []byte("Content-Type")
	locationHeader = []byte("Location")
)

// fields appends the backend's header lines as the client gets them, and says what
// add_header did to those that it sets.
func (r *relay) fields(b []byte, status int) (_ []byte, set []string) {
	pass := r.attempt.pass
	adds := r.c.route.way.Adds()
	for i, f := range r.c.rs.Fields {
		if f.Name == nil || pass.Hides(f.Name) {
			continue
		}
		if adds && !r.again(i) {
			if name, value, ok := r.c.route.way.Sets(status, f.Name); ok {
				set = append(set, name)
				if value != "" {
					b = append(append(append(append(b, "\r\n"...), name...), ": "...), value...)
				}
				continue
			}
		}
		b = append(b, "\r\n"...)
		b = append(b, f.Name...)
		b = append(b, ": "...)
		switch way := &r.c.route.way; {
		case wire.Is(f.Name, "Set-Cookie") && pass.ChangesCookies():
			b = append(b, pass.SetCookie(way, string(f.Value))...)
		case wire.Is(f.Name, "Refresh"):
			b = append(b, pass.Refresh(way, string(f.Value))...)
		default:
			b = append(b, f.Value...)
		}
	}
	return b, set
}

// again says whether another line of the same name follows: nginx knows of the last one.
func (r *relay) again(i int) bool {
	fields := r.c.rs.Fields
	return slices.ContainsFunc(fields[i+1:], func(f wire.Field) bool { return bytes.EqualFold(f.Name, fields[i].Name) })
}

// contentType appends the Content-Type: the backend's, or that of a response that the
// request was redirected away from.
func (r *relay) contentType(b []byte) []byte {
	way := &r.c.route.way
	own := string(r.c.rs.ContentType)
	if r.attempt.pass.Hides(contentType) || own == "" {
		own = way.CarriedType()
	}
	if own == "" {
		return b
	}
	return append(append(b, "\r\nContent-Type: "...), way.Charset(own)...)
}

// carried appends the header lines of responses that the request was redirected away
// from.
func (c *client) carried(b []byte) []byte {
	c.route.way.Carried(func(name, value string) {
		b = append(append(append(append(b, "\r\n"...), name...), ": "...), value...)
	})
	return b
}

// location rewrites the backend's redirect. A path that proxy_redirect made is
// nginx's own, so that scheme and host are put in front of it and it comes early,
// and any other has its place among the fields. Without one of the backend's it is
// the one that the way has come to.
func (r *relay) location() (plain, early string) {
	c := r.c
	absolute := func(l string) string {
		return c.route.way.Absolute(l, c.vars.Server.IP, c.vars.Server.Port)
	}
	if c.rs.Location == nil {
		l := c.route.way.Redirect()
		if at := absolute(l); at != l {
			return "", at
		}
		return l, ""
	}
	pass := r.attempt.pass
	if pass.Hides(locationHeader) {
		return "", ""
	}
	last := -1
	for i := range c.rs.Fields {
		f := &c.rs.Fields[i]
		if !wire.Is(f.Name, "Location") {
			continue
		}
		if l, ok := pass.Location(&c.route.way, string(f.Value)); ok {
			f.Value, last = []byte(l), i
		}
	}
	if last < 0 {
		return "", ""
	}
	l := string(c.rs.Fields[last].Value)
	if early = absolute(l); early == l {
		return "", ""
	}
	c.rs.Fields[last].Name = nil // it isn't sent twice
	return "", early
}
