package nginxconf

import (
	"strings"
	"time"

	"github.com/nolive/nolive/proxy/upstream"
)

// Clients is what holds for clients' connections where a request is.
type Clients struct {
	// Idle is keepalive_timeout: 0 closes after the answer. Told is what the
	// Keep-Alive header says of it, 0 for no such header.
	Idle, Told time.Duration
	// Requests is keepalive_requests, Longest keepalive_time.
	Requests int
	Longest  time.Duration
	// Body is client_body_timeout, Send send_timeout, Linger lingering_timeout.
	Body, Send, Linger time.Duration
}

// Heads is what holds for the heads of requests at a server.
type Heads struct {
	// Timeout is client_header_timeout: for the whole head.
	Timeout time.Duration
	// Line is the longest line and Whole the longest head, in bytes
	// (large_client_header_buffers).
	Line, Whole int
	// Underscores is underscores_in_headers on, Odd ignore_invalid_headers off.
	Underscores, Odd bool
	// Most is how many headers one may have (max_headers); before
	// 1.29.8 any number.
	Most int
}

// clientSettings is what one level says about clients' connections; nil is
// "nothing, inherit".
type clientSettings struct {
	idle, told, longest, body, send, linger *time.Duration
	requests                                *int
	// What follows is a server's.
	header           *time.Duration
	line, whole      *int
	most             *int
	underscores, odd *bool
}

// noEnd is a connection's age for none: no run takes so long.
const noEnd = 30 * 365 * 24 * time.Hour

func defaultClientSettings(v upstream.Version) clientSettings {
	minute, idle, told, longest, linger := time.Minute, 75*time.Second, time.Duration(0), time.Hour, 5*time.Second
	requests, line, whole, most, no := 1000, 8<<10, 32<<10, 1000, false
	if !v.KeepsClientsLong() {
		requests, longest = 100, noEnd
	}
	return clientSettings{
		idle: &idle, told: &told, longest: &longest, body: &minute, send: &minute, linger: &linger, requests: &requests,
		header: &minute, line: &line, whole: &whole, most: &most, underscores: &no, odd: &no,
	}
}

// over fills what the level leaves open from the level outside of it.
func (c clientSettings) over(outer clientSettings) clientSettings {
	inherit(&c.idle, outer.idle)
	inherit(&c.told, outer.told)
	inherit(&c.longest, outer.longest)
	inherit(&c.body, outer.body)
	inherit(&c.send, outer.send)
	inherit(&c.linger, outer.linger)
	inherit(&c.requests, outer.requests)
	inherit(&c.header, outer.header)
	inherit(&c.line, outer.line)
	inherit(&c.whole, outer.whole)
	inherit(&c.most, outer.most)
	inherit(&c.underscores, outer.underscores)
	inherit(&c.odd, outer.odd)
	return c
}

// read takes a directive in. Its form was checked; a wrong value counts as absent.
func (c *clientSettings) read(d *Directive) {
	switch d.Name.Text {
	case "keepalive_timeout":
		c.idle = timeOf(d)
		if t, ok := duration(d.Arg(1), seconds); ok && len(d.Args) > 1 {
			c.told = &t
		}
	case "keepalive_time":
		c.longest = timeOf(d)
	case "keepalive_requests":
		if n := number(d.Arg(0)); n >= 0 {
			requests := int(n)
			c.requests = &requests
		}
	case "client_header_timeout":
		c.header = timeOf(d)
	case "client_body_timeout":
		c.body = timeOf(d)
	case "send_timeout":
		c.send = timeOf(d)
	case "lingering_timeout":
		c.linger = timeOf(d)
	case "large_client_header_buffers":
		n, each := number(d.Arg(0)), size(d.Arg(1), "km")
		if n > 0 && each > 0 {
			line, whole := int(each), int(n*each)
			c.line, c.whole = &line, &whole
		}
	case "max_headers":
		if n := number(d.Arg(0)); n >= 0 {
			most := int(n)
			c.most = &most
		}
	case "underscores_in_headers":
		c.underscores = onOff(d)
	case "ignore_invalid_headers":
		off := strings.EqualFold(d.Arg(0), "off")
		c.odd = &off
	}
}

// Clients is what holds where the request is now.
func (w *Way) Clients() Clients {
	if w.loc == nil {
		return unset.clients.done()
	}
	return w.loc.sets().clients.done()
}

// Clients is what holds at this server's own level.
func (s *Server) Clients() Clients { return s.level().sets().clients.done() }

func (c *clientSettings) done() Clients {
	return Clients{Idle: *c.idle, Told: *c.told, Requests: *c.requests, Longest: *c.longest, Body: *c.body, Send: *c.send, Linger: *c.linger}
}

// Placed says whether a location was looked for: only then nginx asks whether the
// connection may be kept (ngx_http_update_location_config). Unkept says whether one
// of those that the request has been in says no: it stays at that.
func (w *Way) Placed() bool { return w.located }
func (w *Way) Unkept() bool { return w.unkept }

// Heads is what holds for requests that this server takes in.
func (s *Server) Heads() Heads {
	c := &s.level().sets().clients
	return Heads{Timeout: *c.header, Line: *c.line, Whole: *c.whole, Underscores: *c.underscores, Odd: *c.odd, Most: *c.most}
}
