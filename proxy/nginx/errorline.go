package nginx

import (
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// errorLine is one line of nginx's error log.
type errorLine struct {
	number     int   // of the line in the file, from 1
	second     int64 // its stamp, since 1970
	level      string
	pid        int
	connection int64 // 0 for a line that belongs to no connection
	// message is everything after "*N ", or after "PID#TID: ".
	message string
	// head is the message up to the client's address: "MESSAGE while ACTION". It is all
	// of a line that other engines have too, so it is what checks see.
	head string
	// addr is the host of its upstream: "http://addr/...", "" without one.
	addr  string
	whole string
}

// parseErrorLine takes a line apart; false for one that doesn't begin like one.
func parseErrorLine(line string) (errorLine, bool) {
	e := errorLine{whole: line}
	const stamp = "2006/01/02 15:04:05"
	if len(line) < len(stamp)+3 {
		return e, false
	}
	t, err := time.Parse(stamp, line[:len(stamp)])
	if err != nil {
		return e, false
	}
	e.second = t.Unix()
	rest, ok := strings.CutPrefix(line[len(stamp):], " [")
	if !ok {
		return e, false
	}
	if e.level, rest, ok = strings.Cut(rest, "] "); !ok {
		return e, false
	}
	who, message, ok := strings.Cut(rest, ": ")
	if !ok {
		return e, false
	}
	pid, _, _ := strings.Cut(who, "#")
	if e.pid, err = strconv.Atoi(pid); err != nil {
		return e, false
	}
	if s, ok := strings.CutPrefix(message, "*"); ok {
		if n, m, ok := strings.Cut(s, " "); ok {
			if c, err := strconv.ParseInt(n, 10, 64); err == nil {
				e.connection, message = c, m
			}
		}
	}
	e.message = message
	e.head = headOf(message)
	e.addr = upstreamOf(message)
	return e, true
}

// headOf is a message without what nginx says of every request: the client, the
// server, the request, the upstream, the host (ngx_http_log_error).
func headOf(message string) string {
	head, _, _ := strings.Cut(message, ", client: ")
	return head
}

// overLine is the connection of a line that says that a request is over (overFormat);
// false for any other line.
func overLine(line string) (connection int64, ok bool) {
	rest, ok := strings.CutPrefix(line, overBegins)
	if !ok {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, " ")
	connection, err := strconv.ParseInt(number, 10, 64)
	return connection, err == nil
}

// socketEnd is how the names of unix sockets end that stand for backends.
const socketEnd = ".sock"

// upstreamOf is the host and port of `upstream: "http://HOST/uri"`.
func upstreamOf(message string) string {
	i := strings.LastIndex(message, `, upstream: "`)
	if i < 0 {
		return ""
	}
	s := message[i+len(`, upstream: "`):]
	if _, after, ok := strings.Cut(s, "://"); ok {
		s = after
	}
	if path, ok := strings.CutPrefix(s, "unix:"); ok {
		if end := strings.IndexAny(path, `:"`); end >= 0 { // http and stream
			path = path[:end]
		}
		// Of a time-out nginx tells when it has let go of the peer, and leaves out the ":"
		// between socket and URI then (ngx_http_upstream_next, ngx_http_log_error_handler).
		// The files that stand for backends end like this.
		if i := strings.Index(path, socketEnd+"/"); i >= 0 {
			path = path[:i+len(socketEnd)]
		}
		return "unix:" + path
	}
	if end := strings.IndexAny(s, `/"?`); end >= 0 {
		s = s[:end]
	}
	return s
}

// logged says whether the line is of a level that error_log warn has.
func (e errorLine) logged() bool {
	switch e.level {
	case "debug", "info", "notice":
		return false
	}
	return true
}

// alert says whether nginx itself is in trouble. That it closes connections that it
// keeps, or refuses new ones, since worker_connections are used up is one of its
// warnings, but no scenario means it.
func (e errorLine) alert() bool {
	return e.level == "alert" || e.level == "emerg" || strings.Contains(e.message, " worker_connections are not enough")
}

// marks is nginx's line for a counted failure at or above max_fails.
func (e errorLine) marks() bool {
	return strings.HasPrefix(e.head, "upstream server temporarily disabled")
}

// noLive is nginx's line for a pool without a live peer.
func (e errorLine) noLive() bool { return strings.HasPrefix(e.head, "no live upstreams") }

// The actions of nginx's "while ..." that tell how far an attempt was.
const (
	connecting  = "connecting to upstream"
	handshaking = "SSL handshaking to upstream"
	sending     = "sending request to upstream"
	heading     = "reading response header from upstream"
	bodying     = "reading upstream"
	writing     = "sending to client"                  // what came of the backend too, with proxy_buffering off
	relaying    = "proxying and reading from upstream" // of stream
)

// cause says how an attempt ended by the line that gives the reason; 0 for
// every other line. how is what broke a body off.
func (e errorLine) cause() (o, how event.Outcome) {
	if e.level == "warn" || !e.logged() || e.marks() || e.noLive() {
		return 0, 0
	}
	i := strings.LastIndex(e.head, " while ")
	if i < 0 {
		return 0, 0
	}
	message, action := e.head[:i], e.head[i+len(" while "):]
	broken := failure(message)
	if broken == 0 {
		return 0, 0
	}
	if strings.HasPrefix(message, "upstream sent invalid chunked response") {
		return event.Truncated, event.Closed // also of what came with the header
	}
	switch action {
	case connecting, handshaking:
		if broken == event.ReadTimeout {
			return event.ConnectTimeout, 0
		}
		return event.Refused, 0
	case sending:
		if broken == event.ReadTimeout {
			return event.SendTimeout, 0
		}
		return broken, 0
	case heading:
		return broken, 0
	case relaying:
		return event.Relayed, broken
	case writing:
		// ngx_http_upstream_process_non_buffered_downstream reads too. What it says of
		// the client's connection is of a send.
		if !strings.HasPrefix(message, "upstream ") && !strings.HasPrefix(message, "recv() ") {
			return 0, 0
		}
		return event.Truncated, broken
	case bodying:
		return event.Truncated, broken
	}
	return 0, 0
}

// failure classes nginx's messages without their action. A first line that is
// no status line is a response of HTTP/0.9 to nginx and no failure.
func failure(message string) event.Outcome {
	switch {
	case strings.HasPrefix(message, "upstream timed out"):
		return event.ReadTimeout
	case strings.HasPrefix(message, "upstream prematurely closed connection"):
		return event.Closed
	case strings.HasPrefix(message, "upstream sent no valid HTTP/"):
		return 0
	case strings.HasPrefix(message, "upstream sent "):
		return event.InvalidHeader
	case strings.Contains(message, "() failed"), strings.HasPrefix(message, "connect() to "),
		strings.HasPrefix(message, "peer closed connection in SSL handshake"),
		strings.HasPrefix(message, "upstream SSL certificate"):
		return event.Reset
	}
	return 0
}
