package upstream

import (
	"slices"
	"strings"

	"github.com/nolive/nolive/harness/event"
)

// LogMessage is what nginx writes into its error log for an event, as "MESSAGE
// while ACTION", and false for an event without a line at error_log level warn.
// The text is constant per kind, outcome and, over a unix socket, peer; the rest of nginx's line (client,
// server, request, upstream, host) depends on the shell. Number texts are
// glibc's. What was wrong with a header is the event's Detail (Request.BadHeader).
//
// A client abort has a line at info only, and a listed status none: all that
// tells of it is the mark.
func LogMessage(e event.Event) (string, bool) {
	switch e.Kind {
	case event.AttemptEnded:
		return causeMessage(e)
	case event.PeerMarked:
		return markMessage(e), true
	case event.NoLive:
		return "no live upstreams while connecting to upstream", true
	}
	return "", false
}

// Lines are all texts of LogMessage and NoStatusLine, each once, with hole for the path
// of a unix socket.
func Lines(hole string) []string {
	out := []string{noStatusLine}
	add := func(e event.Event) {
		if text, ok := LogMessage(e); ok && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	add(event.Event{Kind: event.NoLive})
	for _, why := range []string{HandshakeClosed, HandshakeReset, HandshakeFailed, HandshakeTimedOut} {
		for _, kind := range []event.Kind{event.AttemptEnded, event.PeerMarked} {
			add(event.Event{Kind: kind, Outcome: event.Refused, Detail: why})
			add(event.Event{Kind: kind, Outcome: event.ConnectTimeout, Detail: why})
		}
	}
	for o := event.Passed; o < event.ClientTimeout; o++ {
		add(event.Event{Kind: event.PeerMarked, Outcome: o})
		for _, detail := range []string{"", tooBig, queueFull, event.Reset.String(), event.ReadTimeout.String(), event.InvalidHeader.String()} {
			for _, peer := range []string{"", "unix:" + hole} {
				add(event.Event{Kind: event.AttemptEnded, Outcome: o, Detail: detail, Peer: peer})
			}
		}
		add(event.Event{Kind: event.AttemptEnded, Outcome: o, Cached: true})
	}
	return out
}

// causeMessage is the line that says why an attempt failed or a body broke off.
func causeMessage(e event.Event) (string, bool) {
	switch e.Outcome {
	case event.Refused:
		switch {
		case e.Detail == HandshakeTimedOut:
			return "", false // as Version.LateHandshake says, and then nginx says nothing
		case handshaking(e):
			return e.Detail + whileHandshaking, true
		}
		if e.Cached {
			// An idle connection isn't connected again: its RST was waiting when
			// nginx came to write (ngx_http_upstream_test_connect).
			return "connect() failed (104: Connection reset by peer) while connecting to upstream", true
		}
		if !strings.HasPrefix(e.Peer, "unix:") {
			return "connect() failed (111: Connection refused) while connecting to upstream", true
		}
		// What the kernel says at once is logged with the peer (ngx_event_connect_peer).
		why := "111: Connection refused"
		if e.Detail == queueFull {
			why = "11: Resource temporarily unavailable"
		}
		return "connect() to " + e.Peer + " failed (" + why + ") while connecting to upstream", true
	case event.ConnectTimeout:
		if handshaking(e) {
			return timedOutText + whileHandshaking, true
		}
		return timedOutText + " while connecting to upstream", true
	case event.SendTimeout:
		return timedOutText + " while sending request to upstream", true
	case event.ReadTimeout:
		return timedOutText + " while reading response header from upstream", true
	case event.Reset:
		return "recv() failed (104: Connection reset by peer) while reading response header from upstream", true
	case event.Closed:
		return "upstream prematurely closed connection while reading response header from upstream", true
	case event.InvalidHeader:
		switch e.Detail {
		case tooBig:
			return "upstream sent too big header" + whileHeading, true
		case "":
			return "upstream sent invalid header" + whileHeading, true
		}
		return e.Detail + whileHeading, true
	case event.Truncated:
		return cutMessage(e.Detail), true
	case event.Relayed:
		if e.Detail == event.Reset.String() {
			return "recv() failed (104: Connection reset by peer) while proxying and reading from upstream", true
		}
	}
	return "", false
}

// The Details of failures: tooBig is a header that doesn't fit its buffer, queueFull
// an accept queue, which only a unix socket tells of.
const (
	tooBig    = "too big"
	queueFull = "queue full"
)

// What goes wrong in a handshake, for Request.Handshaking: the peer closes or resets the
// connection, what it says is refused, or nothing is heard. In nginx's line OpenSSL's
// reason stands behind HandshakeFailed, in its version's words.
const (
	HandshakeClosed   = "peer closed connection in SSL handshake"
	HandshakeReset    = "peer closed connection in SSL handshake (104: Connection reset by peer)"
	HandshakeFailed   = "SSL_do_handshake() failed"
	HandshakeTimedOut = timedOutText
)

const (
	timedOutText     = "upstream timed out (110: Connection timed out)"
	whileHandshaking = " while SSL handshaking to upstream"
)

// handshaking says whether an attempt failed in its TLS handshake.
func handshaking(e event.Event) bool {
	switch e.Detail {
	case HandshakeClosed, HandshakeReset, HandshakeFailed, HandshakeTimedOut:
		return e.Outcome == event.Refused || e.Outcome == event.ConnectTimeout
	}
	return false
}

// noStatusLine is the line about a response that is none of HTTP/1.
const noStatusLine = "upstream sent no valid HTTP/1.0 header" + whileHeading

// whileHeading is what nginx is doing until a response's header is whole.
const whileHeading = " while reading response header from upstream"

// cutMessage is the line for a body that broke off; how is the Detail that
// Request.Cut leaves. Buffered proxying, nginx's default, reads with readv().
func cutMessage(how string) string {
	switch how {
	case event.Reset.String():
		return "readv() failed (104: Connection reset by peer) while reading upstream"
	case event.ReadTimeout.String():
		return timedOutText + " while reading upstream"
	case event.InvalidHeader.String():
		return "upstream sent invalid chunked response while reading upstream"
	}
	return "upstream prematurely closed connection while reading upstream"
}

// markMessage is the warning of a mark. The action is the one at which the
// attempt failed, as for its own line: nginx's log->action is still set.
func markMessage(e event.Event) string {
	if handshaking(e) {
		return "upstream server temporarily disabled" + whileHandshaking
	}
	switch e.Outcome {
	case event.Refused, event.ConnectTimeout:
		return "upstream server temporarily disabled while connecting to upstream"
	case event.SendTimeout:
		return "upstream server temporarily disabled while sending request to upstream"
	}
	return "upstream server temporarily disabled while reading response header from upstream"
}
