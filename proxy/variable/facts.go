package variable

import "time"

// Facts is what variables are read from: one request of one engine. It is asked
// only for what a text needs.
type Facts interface {
	// Request is what the client sent, never nil.
	Request() *Request
	// Response is what became of it so far; nil while nothing did.
	Response() *Response
}

// Header yields header lines in order, names as they were sent.
type Header func(yield func(name, value []byte) bool)

// Address is one end of a connection.
type Address struct {
	// IP is the address as nginx writes it, "unix:" or "unix:/path" for a unix
	// socket. Port is "" for none.
	IP, Port string
	// Binary is the address as 4 or 16 bytes; nil for a unix socket, whose text
	// nginx takes then.
	Binary []byte
}

// Request is the client's request. Of all texts "" is "not there", but where
// something else is said. The zero value is a request of which nothing is known.
type Request struct {
	// Line is the request line as it was sent.
	Line   string
	Method string
	// Target is the request target as it was sent ($request_uri).
	Target string
	// Path is the decoded, normalised path, or what the configuration made of it
	// ($uri). Args is what follows the "?".
	Path, Args string
	// Protocol is "HTTP/1.1". NoProtocol is true for a request line that names one
	// that can't be: $server_protocol is there then, and empty.
	Protocol   string
	NoProtocol bool
	// Host is the host that the request named, without port, in lower case; with
	// "" $host is ServerName.
	Host string
	// ServerName is the first server_name of the server that took the request; ""
	// is a server without one, and its name.
	ServerName string
	Header     Header
	// Joins is true for nginx 1.23.0 and later: header lines of one name are
	// joined by ", " for $http_*, $sent_http_* and $upstream_http_*. Before, the
	// first one counts.
	Joins bool
	// Commas is true before 1.29.6: for $cookie_* the next cookie begins behind a
	// comma, too.
	Commas bool
	// FillsTimes is true before 1.15.7: an attempt that came to no connection or no
	// header has its whole time there instead of "-", and one without a status no times.
	FillsTimes bool
	// Client is the client's address; Origin the one that it really came from
	// where a header replaced it (set_real_ip_from), else zero.
	Client, Origin Address
	// Server is the address at which the request arrived.
	Server Address
	// TLS is true where that one's connections begin with a handshake.
	TLS bool
	// Length is how many bytes were read for the request, head and body.
	Length int64
	// ContentLength is the length of a body that came in chunks, -1 while it isn't
	// known and 0 for none.
	ContentLength int64
	// Body is the request's body where it is in memory; nil when it isn't, or
	// wasn't read.
	Body []byte
	// Pipelined is true when the request had arrived before the one before it was
	// answered.
	Pipelined bool
	// Connection is the number of the client's connection, Requests how many
	// requests it carried, this one included.
	Connection uint64
	Requests   int
	// ID makes the 32 hexadecimal digits of $request_id, the same on every call;
	// nil is none.
	ID func() string
	// ProxyHost and ProxyPort are what proxy_pass names: $proxy_host and
	// $proxy_port; "" before a request is passed on.
	ProxyHost, ProxyPort string
	// Status is what $status is before there is an answer: that of an error page or
	// a return which is being made, 0 for none.
	Status int
	// Own are the variables that the configuration makes, by lower-case name; ok
	// is false for one that isn't there. nil is none.
	Own func(name string) (value string, ok bool)
	// Captures are $1, $2 ... of the last regular expression that matched.
	Captures []string
	// Process is whose request it is.
	Process *Process
}

// Process is what all requests of a worker share.
type Process struct {
	PID      int
	Hostname string
	// Version is $nginx_version, "1.22.1".
	Version string
}

// Request makes a request alone its own facts: nothing became of it yet.
func (r *Request) Request() *Request { return r }

// Response is nil.
func (r *Request) Response() *Response { return nil }

var _ Facts = (*Request)(nil)

// Response is what became of a request, as of one moment.
type Response struct {
	// Now is the moment, in the zone of the log's stamps; Elapsed the time since
	// the request's first byte was read, Connected since the connection was made.
	Now                time.Time
	Elapsed, Connected time.Duration
	// Status is the client's status, 0 for none; 9 for HTTP/0.9, written 009.
	Status int
	// Sent are the bytes sent on the connection for this request, Head those of
	// them that are the response's head.
	Sent, Head int64
	// Received are the bytes that a session got from its client.
	Received int64
	// Header is what the response's head says, but for Server and Date where
	// nginx wrote them on its own.
	Header Header
	// Complete is true once the whole response was sent.
	Complete bool
	// Attempts are the tries on backends; nil when the request was never passed
	// on, and then no $upstream_* is there.
	Attempts []Attempt
	// Upstream is the head of the last backend's response.
	Upstream Header
}

// Attempt is one try on a backend, or a "no live upstreams"
// (ngx_http_upstream_state_t).
type Attempt struct {
	// Peer is the backend's address, the block's name when none was live. An
	// attempt with "" is none: it stands for the internal redirect between those
	// before and those after it.
	Peer string
	// Status is what the backend answered or nginx made of its failure, 0 for none.
	Status int
	// Connect, Header and Response are how long it took until the connection was
	// there, the head was whole, and it was over; Never for what did not happen.
	Connect, Header, Response time.Duration
	// Length is what was read of the response's body, Received all that was read,
	// Sent all that was sent to the backend.
	Length, Received, Sent int64
}

// Never is the duration of what did not happen, logged as "-".
const Never = time.Duration(-1)
