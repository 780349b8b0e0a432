package upstream

import "github.com/nolive/nolive/harness/event"

// Logger is a sink that passes every event on and adds the lines of nginx's
// error log as event.Logged, in nginx's order: for error and invalid_header the
// cause comes before the mark's warning; for time-outs it comes after, because
// ngx_http_upstream_next writes "upstream timed out" itself, after the release.
//
// Give it to NewGroup as it is, not wrapped: the group then tells it when no
// mark can follow any more. Behind a wrapper a time-out's line waits for the
// next event. It is no more safe for concurrent use than a Group: groups that
// share one must share the caller's lock too.
type Logger struct {
	next event.Sink
	// held is the line of a time-out that waits for its mark.
	held    event.Event
	holding bool
	// stream is true for an event of stream, where the cause always comes first
	// (ngx_stream_proxy_connect_handler).
	stream bool
}

var _ event.Sink = (*Logger)(nil)

// NewLogger returns a Logger in front of next.
func NewLogger(next event.Sink) *Logger { return &Logger{next: next} }

// Emit passes e on, and its line if it has one.
func (l *Logger) Emit(e event.Event) {
	marked := e.Kind == event.PeerMarked
	if !marked {
		l.settle()
	}
	l.next.Emit(e)
	if text, ok := LogMessage(e); ok {
		line := event.Event{
			At: e.At, Kind: event.Logged, Request: e.Request, Try: e.Try,
			Peer: e.Peer, Upstream: e.Upstream, Worker: e.Worker, Detail: text,
		}
		if e.Kind == event.AttemptEnded && timedOut(e.Outcome) && !l.stream {
			l.held, l.holding = line, true
			return
		}
		l.next.Emit(line)
	}
	if marked {
		l.settle()
	}
}

// settle lets go of the line that waited for a mark: there is none, or it is out.
func (l *Logger) settle() {
	if l != nil && l.holding {
		l.holding = false
		l.next.Emit(l.held)
	}
}

// timedOut is true for the outcomes that nginx logs after the release.
func timedOut(o event.Outcome) bool {
	return o == event.ConnectTimeout || o == event.SendTimeout || o == event.ReadTimeout
}
