package nginxconf

import (
	"time"

	"github.com/nolive/nolive/proxy/upstream"
)

// Config is what an nginx configuration means for failover.
type Config struct {
	// Tree is the parsed text that Config was interpreted from.
	Tree *Tree
	// WorkerProcesses is worker_processes; "auto" and absent are 1.
	WorkerProcesses int
	// Upstreams are the upstream blocks in order, then the implicit ones that a
	// literal proxy_pass makes. Pass.Upstream points into it.
	Upstreams []*upstream.Config
	Servers   []*Server
	// Backends are the names of all backends, in order of appearance, once each:
	// every `server` address of an upstream and every literal proxy_pass host,
	// exactly as written.
	Backends []string
	// NginxOnly are directives that change failover and aren't modelled: the
	// simulator and the reference proxy must refuse the configuration. A note's
	// text says why: `"ip_hash" isn't modelled: ...`.
	NginxOnly []Note
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
}

// Note is a remark about a place in the configuration.
type Note struct {
	Pos  Pos
	Text string
	// Served is true in NginxOnly for what a proxy can do that serves anyone, and
	// no scenario: there are no such backends or clients in one.
	Served bool
}

// Server is one server block.
type Server struct {
	// Listens are the listen directives as written; a server without one has
	// nginx's default "80".
	Listens []Listen
	Names   []string
	// Locations in order of appearance; a nested one follows the one it is in.
	// Only Config.Route knows all of nginx's precedence.
	Locations []*Location

	// own answers where no location does; its Return comes before all locations.
	own *Location
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

// Location is one location block, or the server's own level for "/".
type Location struct {
	// Exact is true for `location = path`; otherwise Path is a prefix.
	Exact bool
	Path  string
	// Pass is set for a proxied location. A location without it answers with
	// Return, or 404.
	Pass   *Pass
	Return *Return

	logs *Logs
	// parent is the location that this one is nested in, nil at server level.
	parent *Location
	// proxied is true with a proxy_pass even when a return comes before it.
	proxied bool
}

// Return is `return code [text]`.
type Return struct {
	Status int
	Text   string
}

// Pass is a proxied location with everything it inherits.
type Pass struct {
	Upstream *upstream.Config
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
	// IgnoreClientAbort is proxy_ignore_client_abort.
	IgnoreClientAbort bool

	// clients are what Client goes by, in order.
	clients []clientRule
}
