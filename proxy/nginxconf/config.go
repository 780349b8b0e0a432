package nginxconf

import (
	"slices"
	"strings"
	"time"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// Config is what an nginx configuration means for failover.
type Config struct {
	// Tree is the parsed text that Config was interpreted from.
	Tree *Tree
	// Version is the nginx that Config was interpreted for.
	Version upstream.Version
	// WorkerProcesses is worker_processes; "auto" and absent are 1.
	WorkerProcesses int
	// Upstreams are the upstream blocks in order, then the implicit ones that a
	// literal proxy_pass makes. Pass.Upstream points into it.
	Upstreams []*upstream.Config
	Servers   []*Server
	// Streams are the server blocks of stream that pass connections on.
	Streams []*StreamServer
	// Backends are the names of all backends, in order of appearance, once each:
	// every `server` address of an upstream and every literal proxy_pass host,
	// exactly as written.
	Backends []string
	// NginxOnly are directives that change failover and aren't modelled: the
	// simulator and the reference proxy must refuse the configuration. A note's
	// text says why: `"ip_hash" isn't modelled: ...`.
	NginxOnly []Note
	// Unreached are those of NginxOnly that no request comes to, in a Config of
	// Reach.Config.
	Unreached []Note
	// Hosts are where a literal proxy_pass names a host of its own, which no upstream
	// block is called; the texts are the names.
	Hosts []Note
	// Warnings are what nginx itself warns of, in its words.
	Warnings []Note
	// Ignored are the names of directives that can't matter for failover, once
	// each.
	Ignored []Note
	// Unserved are directives that can't matter for failover and that a server for
	// anyone's clients can't honour: `nolive proxy` refuses them. The texts are
	// like those of NginxOnly.
	Unserved []Note
	// ErrorLogs are those of the main level.
	ErrorLogs []ErrorLog

	logs *Logs // of http

	// implicit are the upstreams that no block names.
	implicit map[*upstream.Config]bool
	maps     map[string]*mapping
	// owns is true when the configuration makes variables.
	owns bool
	// set are those that a set makes.
	set map[string]bool
	// byAddress is true where a request's way may depend on where it comes from.
	byAddress bool
	// askers are where a variable, or what is made of it, decides who answers.
	askers map[string][]*level
}

// Note is a remark about a place in the configuration.
type Note struct {
	Pos  Pos
	Text string
	// Served is true in NginxOnly for what a proxy can do that serves anyone, and
	// no scenario: there are no such backends or clients in one.
	Served bool
	// Nowhere is true for a warning of nginx's own that names no place.
	Nowhere bool

	// level is where it stands, name its directive's, listen the address of a
	// listen: Reach goes by them.
	level        *level
	name, listen string
	// own is true for what no location inside inherits.
	own bool
}

// Directive is the name of the directive that a note of NginxOnly or Unreached is
// about.
func (n Note) Directive() string { return n.name }

// Server is one server block.
type Server struct {
	// Listens are the listen directives as written; a server without one has
	// nginx's default "80".
	Listens []Listen
	Names   []string
	// Locations in order of appearance; a nested one follows the one it is in.
	// Only Config.Route knows all of nginx's precedence.
	Locations []*Location

	// own answers where no location does; its script comes before all locations.
	own     *Location
	regexes []*Regex // of server_name
}

// Listen is one listen directive.
type Listen struct {
	// Address is the parameter as written: "80", "127.0.0.1:8080", "[::]:80".
	Address string
	// Default is true with default_server.
	Default bool
	// Parameters are all that follow the address, as written.
	Parameters []string
}

// Location is one location block, or the server's own level for "/". Only a Way
// knows who answers: a location may pass a request on, or answer it, on
// conditions.
type Location struct {
	// Exact is true for `location = path`. Path is a prefix otherwise, a regular
	// expression, or "@" and a name.
	Exact bool
	Path  string
	// Pass is set for a proxied location.
	Pass *Pass
	// Return is what the location answers to every request, nil where that
	// depends on the request; then there is no Pass.
	Return *Return

	logs *Logs
	// parent is the location that this one is nested in, nil at server level.
	parent *Location
	regex  *Regex
	// outer is the location or the level that an if or a limit_except is in; nil
	// for what is none.
	outer *Location
	level *level
	// noRegex is "^~", named "@".
	noRegex, named   bool
	internal, denied bool
	// tries is its try_files; page is true for one that has an error page's file.
	tries *fallback
	page  bool
	// proxied is true with a proxy_pass even when a return comes before it, which
	// is covered then.
	proxied  bool
	covered  *Pass
	except   *except
	script   []code
	settings *settings
}

// sets are the location's settings, nginx's own for one that was made by hand.
func (l *Location) sets() *settings {
	if l.settings == nil {
		return &unset
	}
	return l.settings
}

// target is the location's proxy_pass, also where a return comes before it.
func (l *Location) target() *Pass {
	if l.Pass == nil {
		return l.covered
	}
	return l.Pass
}

// level is the server's own level.
func (s *Server) level() *Location {
	if s.own == nil {
		return &Location{Path: "/"}
	}
	return s.own
}

// name is $server_name.
func (s *Server) name() string {
	if len(s.Names) == 0 {
		return ""
	}
	return strings.TrimPrefix(s.Names[0], ".") // ngx_http_core_server_name
}

// nameless says whether the empty name is one of the server's: it is the only one of
// a server without server_name (ngx_http_core_merge_srv_conf).
func (s *Server) nameless() bool { return len(s.Names) == 0 || slices.Contains(s.Names, "") }

// Return is `return code [text]`.
type Return struct {
	Status int
	Text   string
}

// Pass is a proxied location with everything it inherits.
type Pass struct {
	Upstream *upstream.Config
	// Number tells this proxied location from the others of the configuration;
	// from 1.
	Number int
	// TLS is true for https://: connections begin with a handshake, and nothing is
	// sent before it is over.
	TLS bool
	// Match is the part of the request's path that URI replaces: the location's.
	Match string
	// URI replaces the part of the request's path that the location matched,
	// when the proxy_pass has one; HasURI tells "" from none.
	URI    string
	HasURI bool
	// The time-outs, default 60 s each.
	ConnectTimeout, SendTimeout, ReadTimeout time.Duration
	Policy                                   upstream.Policy
	// HTTP11 is proxy_http_version 1.1; the default is 1.0.
	HTTP11 bool
	// KeepConnection is true when the Connection header sent to the backend
	// lets it keep the connection (proxy_set_header Connection "").
	KeepConnection bool
	// AsksConnection is true where that header is made of variables; then its value
	// says so for each request, and KeepConnection is false.
	AsksConnection bool
	// IgnoreClientAbort is proxy_ignore_client_abort.
	IgnoreClientAbort bool
	// InterceptErrors is proxy_intercept_errors: see Way.Intercept.
	InterceptErrors bool
	// BufferSize is proxy_buffer_size, Buffers the size of each of proxy_buffers,
	// in bytes: a response's header must fit into the first, and what is passed on
	// waits until one is full.
	BufferSize, Buffers int
	// BusyBuffers is proxy_busy_buffers_size in bytes: what nginx writes at once.
	BusyBuffers int
	// Unbuffered is proxy_buffering off: the client gets every byte at once.
	Unbuffered bool
	// StreamsBody is proxy_request_buffering off; which bodies are meant says
	// Streams. BodyBuffer is client_body_buffer_size in bytes.
	StreamsBody bool
	BodyBuffer  int
	// NoRequestHeaders and NoRequestBody are proxy_pass_request_headers off and
	// proxy_pass_request_body off.
	NoRequestHeaders, NoRequestBody bool
	// Headers are the proxy_set_header lines.
	Headers []Header

	// clients are what Client goes by, in order.
	clients      []clientRule
	method, body *variable.Template
	responses    *responseRules // nil for a pass that was made by hand
	// dynamic is a URL with variables: to has the pass for each upstream that it
	// may come to. A Step's Pass has none.
	dynamic *variable.Template
	to      map[*upstream.Config]*Pass
}

// Longest is how long a request may be under way as far as the proxy's time-outs
// bound it: every server is tried, and once more. With error pages it may go
// through all there is, as where backends send it elsewhere (LongestWay).
func (c *Config) Longest() time.Duration {
	longest, sum := c.reckon()
	for _, s := range c.Servers {
		for _, l := range s.Locations {
			if l.sets().errorPages != nil {
				return sum
			}
		}
	}
	return longest
}

// LongestWay is Longest for a request that backends send elsewhere.
func (c *Config) LongestWay() time.Duration {
	_, sum := c.reckon()
	return sum
}

// reckon reckons how long one pass may take, and all of them together.
func (c *Config) reckon() (longest, sum time.Duration) {
	c.Passes(func(p *Pass) {
		one := time.Duration(len(p.Upstream.Servers)+1) * (p.ConnectTimeout + p.SendTimeout + p.ReadTimeout)
		longest = max(longest, one)
		sum += one
	})
	for _, s := range c.Streams {
		one := time.Duration(len(s.Pass.Upstream.Servers))*s.Pass.ConnectTimeout + s.Pass.Timeout
		longest = max(longest, one)
		sum += one
	}
	return longest, sum
}

// Passes calls yield for every pass that the configuration has, with its upstream.
func (c *Config) Passes(yield func(*Pass)) {
	for _, s := range c.Servers {
		for _, l := range s.Locations {
			l.passes(yield)
		}
	}
}

func (l *Location) passes(yield func(*Pass)) {
	if p := l.Pass; p != nil && p.Upstream != nil {
		yield(p)
	} else if p != nil {
		for _, q := range p.to {
			yield(q)
		}
	}
	if l.except != nil {
		l.except.block.passes(yield)
	}
	scriptPasses(l.script, yield)
}

func scriptPasses(script []code, yield func(*Pass)) {
	for i := range script {
		if b := script[i].block; b != nil {
			b.passes(yield)
		}
		scriptPasses(script[i].body, yield)
	}
}
