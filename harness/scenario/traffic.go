package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/harness/scenario/internal/bind"
	"github.com/nolive/nolive/harness/scenario/internal/form"
)

// Bounds of what a traffic may ask for.
const (
	// maxRequests is how many requests one traffic may send.
	maxRequests = 10_000_000
	// maxTime is the latest instant that a traffic may speak of: 30 days.
	maxTime = 30 * 24 * time.Hour
	// maxBody is the largest body of a request.
	maxBody = 1 << 30
)

// OneWrite is the largest body, in bytes, that a client sends in one write with its
// request's head. A proxy that streams bodies has all of such a one when it looks;
// it is as much as nginx then reads at once by default (client_body_buffer_size
// and a quarter of it).
const OneWrite = 10 << 10

// ChunkSize is the number of bytes in each chunk but the last of a body that a
// client sends in chunks.
const ChunkSize = 32 << 10

func (r *resolver) traffic() {
	n := bind.Node(r.b, &r.form.Traffic)
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	if len(n.Content) == 0 {
		r.b.Errorf(n, "traffic is empty, so nothing would happen")
	}
	bind.Pairs(n, func(k, _ *yaml.Node) {
		if t := r.form.Traffic[k.Value]; t != nil {
			r.oneTraffic(k, t)
		}
	})
	i := 0
	bind.Pairs(n, func(k, _ *yaml.Node) {
		t := r.form.Traffic[k.Value]
		if t == nil {
			return
		}
		if n := bind.Node(r.b, t); n != nil && n.Kind == yaml.MappingNode {
			r.route(k, t, &r.s.Traffic[i])
		}
		i++
	})
}

func (r *resolver) oneTraffic(k *yaml.Node, t *form.Traffic) {
	if k.Value == "" || strings.ContainsFunc(k.Value, func(r rune) bool { return r <= ' ' || r == '/' || r >= 0x7f }) {
		r.b.Errorf(k, "traffic: want a name without spaces and slashes, got %q", short(k.Value))
	}
	out := Traffic{
		Name: k.Value, Method: t.Request.Method, Path: t.Request.Path,
		Headers: t.Headers, Body: int64(t.Body), Chunked: t.Framing == "chunked", To: string(t.To),
		Client: Client{Keepalive: t.Client.Keepalive, Timeout: t.Client.Timeout, HTTP10: t.Client.HTTP == "1.0",
			Addresses: addresses(t.Client.Address)},
	}
	if t.Body > maxBody {
		r.b.Errorf(bind.Node(r.b, &t.Body), "body: want at most 1GiB")
	}
	if n := bind.Node(r.b, &t.Framing); out.Chunked && n != nil {
		switch {
		case t.Body == 0:
			r.b.Errorf(n, "framing: there is no body to send in chunks")
		case out.Client.HTTP10:
			r.b.Errorf(n, "framing: HTTP/1.0 has no chunks")
		}
	}
	if n := bind.Node(r.b, &t.Client.Timeout); n != nil && t.Client.Timeout == 0 && n.Kind == yaml.ScalarNode && len(r.b.At(n)) == 0 {
		r.b.Errorf(n, "timeout: want more than 0; leave it out to wait for ever")
	}
	if n := bind.Node(r.b, t); n != nil && n.Kind == yaml.MappingNode {
		out.Load = r.load(k, t)
	}
	r.s.Traffic = append(r.s.Traffic, out)
}

// load says which of the three forms a traffic has.
func (r *resolver) load(k *yaml.Node, t *form.Traffic) Load {
	b := r.b
	var (
		at, rate  = bind.Key(b, &t.At), bind.Key(b, &t.Rate)
		dur       = bind.Key(b, &t.For)
		arrivals  = bind.Key(b, &t.Arrivals)
		times     = bind.Key(b, &t.Times)
		users     = bind.Key(b, &t.Users)
		pause     = bind.Key(b, &t.Pause)
		start     = bind.Key(b, &t.Start)
		forbidden = func(form string, keys ...*yaml.Node) {
			for _, n := range keys {
				if n != nil {
					b.Errorf(n, "%s: %s doesn't go with %q; a traffic has one load: at, rate with for, or times or for with users and pause", k.Value, n.Value, form)
				}
			}
		}
	)
	l := Load{Users: t.Users, Times: t.Times, Pause: Interval(t.Pause), Start: Interval(t.Start), For: t.For}
	switch {
	case at != nil:
		forbidden("at", rate, dur, arrivals, times, users, pause, start)
		if n := bind.Node(b, &t.At); n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			b.Errorf(n, "at: the list is empty, so nothing would be sent")
		}
		return Load{At: slices.Sorted(slices.Values(t.At))}
	case rate != nil:
		forbidden("rate", times, users, pause)
		if dur == nil {
			b.Errorf(rate, "%s: rate needs for, how long it lasts", k.Value)
		}
		l.Rate, l.Poisson = float64(t.Rate), t.Arrivals == "poisson"
		if l.Rate*l.For.Seconds() > maxRequests {
			b.Errorf(rate, "%s: more than %d requests", k.Value, maxRequests)
		}
	case times == nil && dur == nil:
		b.Errorf(k, "%s has no load: give times or for (closed loop), rate with for (open loop), or at", k.Value)
	default:
		forbidden("times and for", arrivals)
		if l.Users == 0 {
			l.Users = 1
		}
		if l.Users*l.Times > maxRequests {
			b.Errorf(times, "%s: more than %d requests", k.Value, maxRequests)
		}
	}
	if dur != nil && t.For == 0 && bind.Node(b, &t.For).Kind == yaml.ScalarNode && isZero(bind.Node(b, &t.For).Value) {
		b.Errorf(bind.Node(b, &t.For), "for: want more than 0")
	}
	for _, n := range []struct {
		key *yaml.Node
		d   time.Duration
	}{{dur, t.For}, {pause, t.Pause.Hi}, {start, t.Start.Hi}} {
		if n.d > maxTime {
			b.Errorf(n.key, "%s: %s is more than 30 days", k.Value, n.key.Value)
		}
	}
	return l
}

func isZero(s string) bool {
	d, _, err := bind.Duration(s)
	return err == nil && d == 0
}

// route looks for who answers a traffic's requests.
func (r *resolver) route(k *yaml.Node, t *form.Traffic, s *Traffic) {
	if r.cfg == nil || !r.cfg.complete || t.Request.Path == "" {
		return
	}
	to := s.Destination(r.cfg.Config)
	if to.Stream != nil {
		r.throughStream(t)
		return
	}
	switch n := bind.Node(r.b, &t.To); {
	case to.Server == nil && n != nil:
		names := r.destinations()
		r.b.Hintf(n, bind.Nearest(string(t.To), names), "%s: to: no listen and no server_name is %q; there are %s",
			k.Value, short(string(t.To)), listing(names))
	case to.Server == nil:
		r.b.Errorf(bind.Node(r.b, &r.form.Proxy.Nginx), "nginx: the configuration has no server that listens")
	case r.unanswered(to, s):
		r.b.Errorf(bind.Node(r.b, &t.Request), "%s: no location passes %s on to a backend", k.Value, short(t.Request.Path))
	case t.To == "" && len(r.cfg.Servers) > 1:
		r.warn(Problem{Pos: r.pos(k.Line, k.Column), Text: fmt.Sprintf("%s goes to the default server of the first listen; "+
			"to: picks another of %s", k.Value, listing(r.destinations()))})
	}
}

// throughStream checks a traffic whose target passes connections on.
func (r *resolver) throughStream(t *form.Traffic) {
	if n := bind.Node(r.b, &t.Client.Keepalive); n != nil && t.Client.Keepalive {
		r.b.Errorf(n, "keepalive: through a stream server every request has a session of its own; leave it out")
	}
}

func (r *resolver) destinations() []string {
	var names []string
	for _, s := range r.cfg.Streams {
		for _, l := range s.Listens {
			names = append(names, l.Address)
		}
	}
	for _, s := range r.cfg.Servers {
		for _, l := range s.Listens {
			names = append(names, l.Address)
		}
	}
	for _, s := range r.cfg.Servers {
		names = append(names, s.Names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// listing is a list for people, shortened.
func listing(names []string) string {
	const most = 8
	if len(names) == 0 {
		return "none"
	}
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "...")
	}
	return strings.Join(names, ", ")
}

// lastSend is an instant after which no traffic sends, and whether there is
// one: how long a closed loop of so many times takes depends on the answers.
func (r *resolver) lastSend() (time.Duration, bool) {
	var last time.Duration
	for _, t := range r.s.Traffic {
		l := t.Load
		switch {
		case len(l.At) > 0:
			last = max(last, slices.Max(l.At))
		case l.For > 0:
			last = max(last, l.Start.Hi+l.For)
		default:
			return 0, false
		}
	}
	return last, len(r.s.Traffic) > 0
}

// lastLife is an instant after which no request is alive any more, as far as
// that is certain: each attempt ends by a time-out of the proxy.
func (r *resolver) lastLife() (time.Duration, bool) {
	last, ok := r.lastSend()
	if !ok || r.cfg == nil {
		return 0, false
	}
	return last + r.longest(), true
}
