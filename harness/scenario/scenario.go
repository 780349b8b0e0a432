package scenario

import (
	"strings"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// File is one scenario file: the base scenario and its variants, each complete.
type File struct {
	// Path is the file's name as it was given, for messages.
	Path string
	// Source is the file as read.
	Source []byte
	// Scenarios holds the base scenario first, then the variants in file order.
	Scenarios []*Scenario
	// Warnings are what is allowed but probably not meant, sorted by position.
	Warnings Problems
}

// Scenario is one incident, resolved: a variant has everything it inherits.
type Scenario struct {
	// Name is lower-case words with hyphens; Variant is "" for the base.
	Name, Variant string
	About         string
	Tags          []string
	// NginxVersion is the nginx that the scenario is about, the zero value when it
	// doesn't say.
	NginxVersion upstream.Version
	// Nginx is the configuration under test, as NginxVersion reads it; see As.
	Nginx *nginxconf.Config
	// Files are those that the configuration reads and that lie beside it, or beside
	// the scenario, by path as written.
	Files map[string][]byte
	// Backends are all backends of the configuration, in order of appearance,
	// each with the rules that apply to it ("*" expanded; its own rules win).
	Backends []Backend
	Traffic  []Traffic
	Expect   []check.Check
	// Engines that the scenario may run on, in the order sim, reference, nginx.
	Engines []string
	// MaxSpeed is the fastest that the scenario bears (max_speed), 0 for no limit
	// of its own; AskSpeed is the speed it asks for (speed), 0 for auto.
	MaxSpeed, AskSpeed float64
	// Jitter is how late a send or a wait may be, in scenario time, before the
	// run is invalid.
	Jitter time.Duration
	Seed   uint64

	// place turns a position in the configuration into one for the user.
	place func(nginxconf.Pos) nginxconf.Pos
}

// As is the scenario as another version of nginx reads its configuration. The
// errors are what that version would refuse.
func (s *Scenario) As(v upstream.Version) (*Scenario, error) {
	if v == s.Nginx.Version {
		return s, nil
	}
	other := *s
	cfg, refused := nginxconf.InterpretAs(s.Nginx.Tree, v)
	var ps Problems
	for _, p := range refused {
		ps = append(ps, Problem{Pos: s.place(p.Pos), Text: p.Text, Hint: p.Hint, Variant: s.Variant})
	}
	other.Nginx = narrowed(cfg, s.Traffic, s.Redirects)
	return &other, ps.Err()
}

// Title is "name" or "name/variant".
func (s *Scenario) Title() string {
	if s.Variant == "" {
		return s.Name
	}
	return s.Name + "/" + s.Variant
}

// Backend is one server and its rules.
type Backend struct {
	// Name is exactly as the configuration writes the address.
	Name  string
	Rules fault.Rules
	// Own is how many of the rules are the backend's own; those of "*" follow.
	Own int
	// Process runs it as a process of its own, where there are processes.
	Process bool
	// Backlog is how many connections wait to be accepted, and one more; 0 is what
	// the system allows.
	Backlog int
}

// Unix says whether the configuration reaches it over a unix socket.
func (b Backend) Unix() bool { return onUnix(b.Name) }

// onUnix says whether an address is a unix socket's.
func onUnix(address string) bool {
	const prefix = "unix:"
	return len(address) >= len(prefix) && strings.EqualFold(address[:len(prefix)], prefix)
}

// Traffic is one source of requests.
type Traffic struct {
	Name    string
	Method  string
	Path    string
	Headers []fault.Header
	// Body is the number of bytes of the request's body.
	Body int64
	// Chunked sends it in chunks, so that nobody knows its length before its end.
	Chunked bool
	// To picks a listen address or server_name; "" is the first listen.
	To string

	// Load is one of the three forms.
	Load Load
	// Client says how the clients of this traffic behave.
	Client Client
}

// Load says when requests are sent. Exactly one form is used: At (explicit),
// Rate > 0 (open loop), else closed loop.
type Load struct {
	// At are explicit instants.
	At []time.Duration
	// Rate is requests per second of scenario time, during For from Start.Lo;
	// Poisson draws the gaps, otherwise they are even.
	Rate    float64
	Poisson bool
	// Users, each asking Times times (0: until For has passed since the user's
	// start), waiting Pause after each answer. Every user starts at a seeded
	// instant within Start.
	Users int
	Times int
	Pause Interval
	Start Interval
	For   time.Duration
}

// Interval is a range of durations; Lo == Hi is a fixed one.
type Interval struct{ Lo, Hi time.Duration }

// Client says how a client treats its connection.
type Client struct {
	// Keepalive keeps the connection for the user's next request; otherwise
	// every request has a new connection.
	Keepalive bool
	// Timeout is how long a client waits for the whole answer before it closes
	// the connection; 0 is for ever.
	Timeout time.Duration
	// HTTP10 speaks HTTP/1.0.
	HTTP10 bool
	// Addresses are where clients connect from: each user, or each request of an
	// open loop, draws one.
	Addresses Addresses
}
