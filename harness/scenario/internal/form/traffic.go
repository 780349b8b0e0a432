package form

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
)

// Traffic is one source of requests. Its load has one of three forms: at
// (explicit instants), rate with for (open loop), times or for (closed loop).
type Traffic struct {
	// Request is the method and the path, "GET /".
	Request Request `yaml:"request" jsonschema:"required"`
	// Headers are added to every request.
	Headers Headers `yaml:"headers"`
	// Body is the size of the request's body, "10KiB".
	Body fault.Size `yaml:"body"`
	// Framing says how the body's end is told: "length" announces it with
	// Content-Length (the default), "chunked" sends it in chunks.
	Framing string `yaml:"framing" jsonschema:"enum=length,enum=chunked"`
	// To picks a listen address or a server_name when there are several.
	To Word `yaml:"to"`
	// Rate is requests per second or minute, "5/s" or "30/m", whether or not
	// they are answered.
	Rate Rate `yaml:"rate"`
	// For is how long the traffic lasts.
	For time.Duration `yaml:"for"`
	// Arrivals says how the gaps of a rate are spread; default even.
	Arrivals string `yaml:"arrivals" jsonschema:"enum=even,enum=poisson"`
	// Times is how often each user asks.
	Times int `yaml:"times" jsonschema:"minimum=1,maximum=10000000"`
	// Users is how many users ask, wait for the answer and pause; default 1.
	Users int `yaml:"users" jsonschema:"minimum=1,maximum=100000"`
	// Pause is how long a user waits after each answer, fixed or drawn from a
	// range "2s..20s"; default 0.
	Pause Interval `yaml:"pause"`
	// Start is when each user, or the rate, begins, fixed or drawn from a
	// range; default 0.
	Start Interval `yaml:"start"`
	// At are the instants of the requests.
	At []time.Duration `yaml:"at"`
	// Client says how the clients treat their connections.
	Client Client `yaml:"client"`
}

// Client says how a client treats its connection.
type Client struct {
	// Keepalive keeps the connection for the user's next request; default a
	// new connection for each.
	Keepalive bool `yaml:"keepalive"`
	// Timeout is how long a client waits for the whole answer before it closes
	// the connection; default for ever.
	Timeout time.Duration `yaml:"timeout"`
	// Address is the loopback address that a client connects from, such as
	// 127.0.0.7, or a network, a range, or a list of them, from which each user (each
	// request where there are no users) draws one; default 127.0.0.1.
	Address Addresses `yaml:"address"`
	// HTTP is the protocol's version, "1.1" or "1.0"; default 1.1.
	HTTP Word `yaml:"http" jsonschema:"enum=1.0,enum=1.1"`
}
