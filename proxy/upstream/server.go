package upstream

import (
	"time"

	"github.com/nolive/nolive/proxy/variable"
)

// Server is one peer: one address of one `server` line of an upstream block.
// nginx gives max_fails=0 and fail_timeout=0 meanings of their own, so here the
// zero value is not the default; start from NewServer.
type Server struct {
	// Name is the backend's name exactly as the configuration writes it.
	Name string
	// Address is what nginx has in the place of Name, "" for Name itself. It
	// matters to `hash KEY consistent` alone, which hashes the server's text. Where
	// a real nginx gets loopback addresses for the names, its keys go to other
	// servers than in production; they go to the same ones as there in the
	// simulator and the reference proxy, which hash the names. To follow such an
	// nginx the model has to be told the addresses.
	Address string
	// Weight is at least 1; nginx refuses weight=0.
	Weight int
	// MaxFails is the number of counted failures that mark the peer; 0 never marks.
	MaxFails int
	// FailTimeout is a whole number of seconds: the penalty, and the window of
	// counting. 0 is legal: out until the next whole second.
	FailTimeout time.Duration
	// MaxConns limits the attempts in flight; 0 is no limit. Idle kept-alive
	// connections don't count.
	MaxConns int
	// Backup peers are used only when no primary peer is eligible.
	Backup bool
	// Down peers are never picked.
	Down bool
}

// NewServer returns a peer with nginx's defaults: weight=1 max_fails=1
// fail_timeout=10s (ngx_http_upstream_server).
func NewServer(name string) Server {
	return Server{Name: name, Weight: 1, MaxFails: 1, FailTimeout: 10 * time.Second}
}

// Config is one upstream block, or the implicit one that a literal proxy_pass
// makes (weight 1, max_fails 1, fail_timeout 10 s; ngx_http_upstream_init_round_robin).
type Config struct {
	// Name is the block's name; it stands for the peer in $upstream_addr when
	// no server is live.
	Name string
	// Servers are in configuration order, backups among them.
	Servers []Server
	// Method is how a peer is picked, Key what `hash` hashes.
	Method Method
	Key    variable.Template
	// Stream is true for a block of stream: what is passed on are connections, and
	// only making one can fail.
	Stream bool
	// Zone is true when the block has a `zone`: all workers share its state.
	Zone bool
	// Keepalive is each worker's cache of idle connections; the zero value is
	// none, which is the default before 1.29.7.
	Keepalive KeepaliveConfig
	// Version is the nginx that the block behaves as.
	Version Version
}
