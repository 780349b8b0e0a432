package plan

import (
	"strings"

	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// Trip is where a request of a traffic is on its way through the configuration.
// It doesn't change: what comes next is another one, so requests that are alike
// share theirs.
type Trip struct {
	// Step is what happens to the request.
	Step nginxconf.Step
	// Arrival is the request as the model has to know it, but for its number, its
	// worker and the seed; of a Step that passes it on.
	Arrival upstream.Arrival
	// Method, URI and Header are the request as a backend gets it.
	Method, URI string
	Header      func(name string) string
	// Body is the number of bytes of its body, Chunked whether it comes in chunks
	// there: as the client sends it, if it is streamed.
	Body    int64
	Chunked bool
	// Spent is true for a body that an earlier pass streamed: the head announces it
	// and nothing follows, because nginx hasn't kept it.
	Spent bool
	// Unframed is true for one in chunks, which are announced to HTTP/1.0 too: what of it
	// wasn't sent yet goes out as it is, without framing, and is no chunk.
	Unframed bool
	// Lines are what nginx logs, at warn and above, about the request's way since the
	// step before.
	Lines []string
	// Stream is where the connection goes when a stream server takes it: then the
	// request goes with it as it is, and there is no Step.
	Stream *nginxconf.StreamPass

	traffic *scenario.Traffic
	from    scenario.Address
	way     nginxconf.Way
	facts   variable.Request
	read    bool // an earlier pass has read the body
}

// Trip begins the way of a request from an address; nil when nothing listens.
func (t *Traffic) Trip(c *nginxconf.Config, from scenario.Address) *Trip {
	return NewTrip(c, t.Spec, from)
}

// NewTrip is Trip for what a scenario says.
func NewTrip(c *nginxconf.Config, t *scenario.Traffic, from scenario.Address) *Trip {
	to := t.Destination(c)
	switch {
	case to.Stream != nil:
		return throughStream(to.Stream, t, from)
	case to.Server == nil:
		return nil
	}
	length := t.Body
	if length == 0 || t.Chunked {
		length = -1
	}
	n := begin(c, t, from, to, length)
	// How long chunks are nginx finds out while it reads them, which it does to pass them
	// on: where it answers itself it throws them away.
	if t.Chunked && n.Step.Pass != nil && t.Body > n.way.BodyLimit() {
		n = begin(c, t, from, to, t.Body)
	}
	n.arrive()
	n.note()
	return n
}

// begin is the first step of a trip, of a request whose head says that its body has so
// many bytes; -1 is none, or chunks.
func begin(c *nginxconf.Config, t *scenario.Traffic, from scenario.Address, to nginxconf.Destination, length int64) *Trip {
	n := &Trip{traffic: t, from: from, facts: t.Facts(from, nil)}
	n.facts.Host, n.facts.TLS = to.Host, to.TLS
	if to.Refused {
		n.Step = n.way.Refuse(c, to.Server, &n.facts, 400)
	} else {
		n.Step = n.way.Begin(c, to.Server, &n.facts, length)
	}
	return n
}

// throughStream is the trip of a connection to a stream server.
func throughStream(s *nginxconf.StreamServer, t *scenario.Traffic, from scenario.Address) *Trip {
	n := &Trip{traffic: t, from: from, facts: t.Facts(from, nil), Stream: s.Pass, Method: t.Method, URI: t.Path, Body: t.Body, Chunked: t.Chunked}
	n.Arrival = upstream.Arrival{
		Policy: s.Pass.Policy, ClientAddr: n.facts.Client.Binary, Key: s.Pass.Upstream.Key.Value(&n.facts),
	}
	n.Header = func(name string) string {
		for _, h := range t.Headers {
			if strings.EqualFold(h.Name, name) {
				return h.Value
			}
		}
		return ""
	}
	return n
}

// Fail is the trip after an answer of the proxy's own.
func (n *Trip) Fail(status int) *Trip {
	out := n.fork()
	out.Step = out.way.Fail(status)
	out.arrive()
	out.note()
	return out
}

// Intercept is the trip after a backend's response that something else takes the
// place of; nil when nothing does.
func (n *Trip) Intercept(status int) *Trip {
	if n.Step.Pass == nil || !n.Step.Pass.InterceptErrors {
		return nil
	}
	out := n.fork()
	step, ok := out.way.Intercept(n.Step.Pass, status)
	if !ok {
		return nil
	}
	out.Step = step
	out.arrive()
	out.note()
	return out
}

// AccelRedirect is the trip after a backend's response with X-Accel-Redirect; nil where
// that means nothing.
func (n *Trip) AccelRedirect(to string) *Trip {
	if n.Step.Pass == nil {
		return nil
	}
	out := n.fork()
	step, ok := out.way.AccelRedirect(n.Step.Pass, to, nil)
	if !ok {
		return nil
	}
	out.Step = step
	out.arrive()
	out.note()
	return out
}

func (n *Trip) fork() *Trip {
	out := &Trip{
		traffic: n.traffic, from: n.from, way: n.way, facts: n.facts,
		read: n.read || n.Step.Pass != nil, Spent: n.Spent || n.Arrival.Policy.Unbuffered,
	}
	out.way.Fork(&out.facts)
	return out
}

// TooLate says whether the body turns out too large only after parts of it may have
// gone to a backend: it comes in chunks, and the first of them is small enough.
func (n *Trip) TooLate() bool {
	return n.Stream == nil && n.traffic.Chunked && n.way.Refused() && n.way.BodyLimit() >= scenario.ChunkSize
}

// Alike says whether a request from another address goes the same way and looks
// the same to the model.
func (n *Trip) Alike() bool {
	if n.Stream != nil {
		return n.Stream.Upstream.Method != upstream.Hash && n.Stream.Upstream.Method != upstream.ConsistentHash
	}
	p := n.Step.Pass
	if p == nil {
		return n.way.Fixed()
	}
	switch p.Upstream.Method {
	case upstream.IPHash, upstream.Hash, upstream.ConsistentHash:
		return false
	}
	return n.way.Fixed() && len(p.Headers) == 0
}

// Clients is what holds for the client's connection where the request is now.
func (n *Trip) Clients() nginxconf.Clients { return n.way.Clients() }

// Unkept says whether a place that it has been in lets no connection be kept.
func (n *Trip) Unkept() bool { return n.way.Unkept() }

// Keeps says whether the Connection header lets the backend that the request is
// passed on to keep the connection.
func (n *Trip) Keeps() bool {
	p := n.Step.Pass
	if p.AsksConnection {
		return !strings.EqualFold(n.Header("Connection"), "close")
	}
	return p.KeepConnection
}

// Status is the client's status for a backend's response that is passed on.
func (n *Trip) Status(backend int) int { return n.way.Status(backend) }

// Replaces says whether the client's status may be another than the one that the
// model ends with: an error page leads elsewhere, or one led here, or a backend does.
func (n *Trip) Replaces(by Redirects) bool {
	return n.Stream == nil && (len(n.way.Pages()) > 0 || n.way.Status(0) != 0 || len(n.redirects(by)) > 0)
}

// Redirects are what the backends of an upstream may have in X-Accel-Redirect
// (Scenario.Redirects).
type Redirects func(*upstream.Config) []string

// redirects are where backends of the upstream may send the request.
func (n *Trip) redirects(by Redirects) []*Trip {
	var out []*Trip
	if n.Step.Pass == nil {
		return nil
	}
	for _, to := range by(n.Step.Pass.Upstream) {
		if next := n.AccelRedirect(to); next != nil {
			out = append(out, next)
		}
	}
	return out
}

// Passing finds a trip on which the request is passed on to an upstream: this one,
// or one that errors and backends lead to; nil for none.
func (n *Trip) Passing(name string, by Redirects) *Trip {
	if n.Stream != nil {
		if n.Stream.Upstream.Name == name {
			return n
		}
		return nil
	}
	return passing([]*Trip{n}, name, by)
}

// Again is Passing for a request that has come to the upstream before on this trip, and
// comes again because of what a backend answered; nil for none.
func (n *Trip) Again(name string, by Redirects) *Trip {
	if n.Stream != nil {
		return nil
	}
	return passing(n.after(by), name, by)
}

// after are the trips that may come after this one.
func (n *Trip) after(by Redirects) []*Trip {
	out := n.redirects(by)
	for _, status := range n.way.Pages() {
		out = append(out, n.Fail(status))
	}
	return out
}

// passing is the first of some trips, or of those that come after them, on which the
// request is passed on to an upstream.
func passing(next []*Trip, name string, by Redirects) *Trip {
	had := map[*nginxconf.Pass]bool{}
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		p := at.Step.Pass
		if p == nil || had[p] {
			continue
		}
		if p.Upstream.Name == name {
			return at
		}
		had[p] = true
		next = append(next, at.after(by)...)
	}
	return nil
}

// arrive works out what the step looks like to the model and to a backend.
func (n *Trip) arrive() {
	p := n.Step.Pass
	if p == nil {
		return
	}
	who := n.traffic.Facts(n.from, p)
	n.facts.Client, n.facts.Origin = who.Client, who.Origin
	n.Arrival = upstream.Arrival{
		Method: n.way.Method(), Location: p.Number, Policy: p.Policy, ClientAddr: n.facts.Client.Binary, Key: n.way.Key(p.Upstream),
	}
	n.Method, n.URI, n.Body = p.RequestMethod(&n.way), n.Step.URI, n.traffic.Body
	if content, ok := p.RequestBody(&n.way); ok {
		n.Body = int64(len(content))
	} else if p.NoRequestBody || n.way.Discarded() {
		n.Body = 0
	}
	n.Unframed = n.Spent && n.traffic.Chunked && !p.HTTP11
	n.Arrival.Policy.Unbuffered = n.streams()
	n.Chunked = n.Arrival.Policy.Unbuffered && n.traffic.Chunked
	type line struct{ name, value string }
	var lines []line
	if len(p.Headers) > 0 {
		p.SetHeaders(&n.way, func(name, value string) { lines = append(lines, line{name, value}) })
	}
	if !p.NoRequestHeaders {
		for _, h := range n.traffic.Headers {
			if !p.Sets([]byte(h.Name)) {
				lines = append(lines, line{h.Name, h.Value})
			}
		}
	}
	n.Header = func(name string) string {
		for _, l := range lines {
			if strings.EqualFold(l.name, name) {
				return l.value
			}
		}
		return ""
	}
}

// streams says whether the body goes to the backend as it comes. One that the
// client writes at once is all there when nginx looks, of a longer one nginx
// sees the head first.
func (n *Trip) streams() bool {
	p := n.Step.Pass
	chunked := n.traffic.Chunked
	if n.Body == 0 || n.Spent || n.read || !p.Streams(chunked) {
		return false
	}
	return n.Body > scenario.OneWrite || n.Body > p.Ahead(headSize, n.Body, chunked)
}

// headSize is about how long the head of a client's request is.
const headSize = 200

// note takes in what nginx logs about the way.
func (n *Trip) note() {
	t := n.traffic
	n.Lines = n.way.Complaints()
	if t.Chunked && n.way.Refused() {
		for i, line := range n.Lines {
			if line == nginxconf.TooLargeBody(t.Body) {
				n.Lines[i] = nginxconf.TooLargeChunks(0, min(t.Body, scenario.ChunkSize))
			}
		}
	}
	if p := n.Step.Pass; p == nil || n.read || t.Body == 0 || n.way.Discarded() {
		return
	}
	there := t.Body
	if there > scenario.OneWrite {
		there = 0
	}
	if n.Step.Pass.Spools(headSize, there, t.Body, t.Chunked) {
		n.Lines = append(n.Lines, nginxconf.BodyFile())
	}
}
