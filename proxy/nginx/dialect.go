package nginx

import (
	"strings"

	"github.com/nolive/nolive/harness/event"
)

// dialect is how the logs of a version of nginx say what newer ones say otherwise.
// The zero value is that of the newest ones.
type dialect struct {
	// dashes is true before 1.11.8, whose log_format has no escape=json: what is empty
	// is "-".
	dashes bool
	// filled is true before 1.15.7: a time that an attempt didn't get to is its response
	// time, not "-", and without a status there is none at all
	// (ngx_http_upstream_response_time_variable).
	filled bool
	// givesUp is true before 1.13.11: the answer to a listed status that led to no
	// other attempt is nginx's own page, and the attempt a failure.
	givesUp bool
}

// dialect is the binary's.
func (b binary) dialect() dialect {
	return dialect{dashes: !b.atLeast(1, 11, 8), filled: !b.atLeast(1, 15, 7), givesUp: !b.atLeast(1, 13, 11)}
}

// escape is the parameter of log_format.
func (d dialect) escape() string {
	if d.dashes {
		return ""
	}
	return "escape=json "
}

// clear takes the dashes away that stand for nothing, also beside another variable.
func (d dialect) clear(values ...*string) {
	for _, v := range values {
		if d.dashes {
			*v = strings.Trim(*v, "-")
		}
	}
}

// parse reads one line of the access log.
func (d dialect) parse(line []byte) (accessLine, error) { return parseAccessLine(line, d) }

// unfill takes the times of a step back to which it didn't get. Those are its
// response time, but so may be those that it did get to: that it failed before, a
// line says.
func (d dialect) unfill(s *step, lines *connectionLines, from, until int64) {
	last := s.header
	if last < 0 {
		last = s.connect // of stream
	}
	if !d.filled || last != s.response {
		return
	}
	if s.noLive {
		s.header, s.connect = -1, -1
		return
	}
	l := lines.next(from, until, func(l *errorLine) bool {
		o, _ := l.cause()
		return o != 0 && l.addr == s.addr
	})
	if l == nil {
		return
	}
	switch o, _ := l.cause(); o {
	case event.Truncated, event.Relayed:
	case event.Refused, event.ConnectTimeout:
		s.header, s.connect = -1, -1
	default:
		s.header = -1
	}
}

// close gives a last step without a status the time that is left: it ended with its
// request.
func (d dialect) close(x *exchange) {
	n := len(x.steps) - 1
	if !d.filled || n < 0 || x.steps[n].response >= 0 {
		return
	}
	left := x.took
	for _, s := range x.steps[:n] {
		left -= max(s.response, 0)
	}
	x.steps[n].response = max(left, 0)
}
