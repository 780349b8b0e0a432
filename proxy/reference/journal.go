package reference

import (
	"strings"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/variable"
)

// Journal writes what nginx would log. Its methods are called from many
// goroutines, the second one with a group's lock held.
type Journal interface {
	// Done is told of every request that is over, with the location that it ended
	// in; nil is the server's own level. The facts are valid during the call.
	Done(s *nginxconf.Server, l *nginxconf.Location, f variable.Facts)
	// Note is told of every line of the error log that has to do with a connection:
	// its number, and the text up to the end of the line.
	Note(s *nginxconf.Server, l *nginxconf.Location, level nginxconf.Level, connection uint64, text string)
}

// witness stands between a group and the run's sink. It knows on behalf of whom
// the group is working: an event itself names only a request that a scenario
// numbered. Both are guarded by the group's lock.
type witness struct {
	next event.Sink
	of   *client
}

var _ event.Sink = (*witness)(nil)

// Emit passes e on, keeps the account of the request and notes the log's line.
func (w *witness) Emit(e event.Event) {
	w.next.Emit(e)
	if w.of == nil || w.of.account == nil {
		return
	}
	a := w.of.account
	switch e.Kind {
	case event.AttemptStarted:
		a.start(e.Peer)
	case event.AttemptEnded:
		a.end(e.Status)
	case event.NoLive:
		a.noLive(e.Upstream)
	case event.Logged:
		a.logged(e.Detail)
	}
}

// lock takes the lock of a group for a client.
func (s *shared) lock(c *client) {
	s.mu.Lock()
	s.witness.of = c
}

// cause is what the shell knows better than the model about the failure that it
// is about to tell: the text of its line, and the step at which it happened. A
// part that is "" is as the model says.
type cause struct {
	level        nginxconf.Level
	text, action string
}

// logged notes a line of the model: "TEXT while ACTION".
func (a *account) logged(line string) {
	text, action, _ := strings.Cut(line, " while ")
	level := nginxconf.Error
	if text == "upstream server temporarily disabled" {
		level = nginxconf.Warn
	} else {
		if a.cause.text != "" {
			text = a.cause.text
		}
		if a.cause.level != 0 {
			level = a.cause.level
		}
	}
	if a.cause.action != "" {
		action = a.cause.action
	}
	a.note(level, text, action)
}

// note writes one line about this request (ngx_http_log_error).
func (a *account) note(level nginxconf.Level, text, action string) {
	c := a.client
	b := append([]byte(nil), text...)
	if action != "" {
		b = append(append(b, " while "...), action...)
	}
	b = append(append(b, ", client: "...), a.rq.Client.IP...)
	if !a.begun {
		b = append(append(b, ", server: "...), c.listen.text...)
		c.proxy.journal.Note(a.server, a.location, level, a.rq.Connection, string(b))
		return
	}
	b = append(append(b, ", server: "...), a.rq.ServerName...)
	if a.rq.Line != "" {
		b = append(append(append(b, ", request: \""...), a.rq.Line...), '"')
	}
	if a.upstream != "" {
		b = append(append(append(b, ", upstream: \"http://"...), a.upstream...), a.uri...)
		b = append(b, '"')
	}
	for _, h := range []struct{ name, label string }{{"http_host", "host"}, {"http_referer", "referrer"}} {
		if v, ok := variable.Value(h.name, &a.rq); ok {
			b = append(append(append(append(append(b, ", "...), h.label...), ": \""...), v...), '"')
		}
	}
	c.proxy.journal.Note(a.server, a.location, level, a.rq.Connection, string(b))
}

// since is the time from an instant until now, at the run's speed.
func (a *account) since(t time.Time) time.Duration {
	return time.Duration(float64(time.Since(t)) * a.client.proxy.clock.Speed())
}
