package reference

import (
	"strings"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/variable"
)

// Journal writes what nginx would log. Its methods are called from many
// goroutines, Note also with a group's lock held.
type Journal interface {
	// Done is told of every request and of every session that is over, with the logs
	// of the place where it ended. The facts are valid during the call.
	Done(at *nginxconf.Logs, f variable.Facts)
	// Note is told of every line of the error log that has to do with a connection:
	// its number, and the text up to the end of the line.
	Note(at *nginxconf.Logs, level nginxconf.Level, connection uint64, text string)
}

// witness stands between a group and the run's sink. It knows on behalf of whom
// the group is working: an event itself names only a request that a scenario
// numbered. Both are guarded by the group's lock.
type witness struct {
	next event.Sink
	of   chronicler // nil for nobody
}

// chronicler keeps the account of a request or of a session.
type chronicler interface {
	// start and end are told of attempts, noLive of none, logged of a line of the log.
	start(peer string)
	end(status int)
	noLive(upstream string)
	logged(line string)
}

var _ chronicler = (*account)(nil)

var _ event.Sink = (*witness)(nil)

// Emit passes e on, keeps the account of the request and notes the log's line.
func (w *witness) Emit(e event.Event) {
	w.next.Emit(e)
	a := w.of
	if a == nil {
		return
	}
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
	s.witness.of = nil
	if c.account != nil {
		s.witness.of = c.account
	}
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
	level, text, action := a.cause.line(line)
	a.note(level, text, action)
}

// line is a line of the model as it is logged.
func (k *cause) line(line string) (level nginxconf.Level, text, action string) {
	text, action = line, ""
	if i := strings.LastIndex(line, " while "); i >= 0 { // a header that it quotes may have one too
		text, action = line[:i], line[i+len(" while "):]
	}
	level = nginxconf.Error
	if text == "upstream server temporarily disabled" || strings.HasSuffix(text, ", ignored") {
		level = nginxconf.Warn
	} else {
		if k.text != "" {
			text = k.text
		}
		if k.level != 0 {
			level = k.level
		}
	}
	if k.action != "" {
		action = k.action
	}
	return level, text, action
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
		c.proxy.journal.Note(a.logs(), level, a.rq.Connection, string(b))
		return
	}
	b = append(append(b, ", server: "...), a.rq.ServerName...)
	if a.rq.Line != "" {
		b = append(append(append(b, ", request: \""...), a.rq.Line...), '"')
	}
	if a.upstream != "" {
		to := a.upstream
		if strings.HasPrefix(text, "upstream timed out") && action != "reading upstream" {
			to = strings.TrimSuffix(to, ":") // nginx has let go of the peer by then (ngx_http_upstream_next)
		}
		b = append(append(append(b, ", upstream: \"http://"...), to...), a.uri...)
		b = append(b, '"')
	}
	for _, h := range []struct{ name, label string }{{"http_host", "host"}, {"http_referer", "referrer"}} {
		if v, ok := variable.Value(h.name, &a.rq); ok {
			b = append(append(append(append(append(b, ", "...), h.label...), ": \""...), v...), '"')
		}
	}
	c.proxy.journal.Note(a.logs(), level, a.rq.Connection, string(b))
}

// logs is where the request is logged.
func (a *account) logs() *nginxconf.Logs { return a.client.proxy.config.Logs(a.server, a.location) }

// since is the time from an instant until now, at the run's speed.
func (a *account) since(t time.Time) time.Duration {
	return a.client.proxy.clock.Scenario(time.Since(t))
}
