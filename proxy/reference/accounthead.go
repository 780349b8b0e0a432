package reference

import (
	"github.com/nolive/nolive/proxy/variable"
	"github.com/nolive/nolive/proxy/wire"
)

// atTheEnd is the head as the log sees it. By then nginx has forgotten whether it
// kept the connection, and says close, unless the client left
// (ngx_http_set_keepalive, ngx_http_variable_sent_connection).
func (a *account) atTheEnd(head variable.Header) variable.Header {
	connection := "close"
	if a.gone && a.keep {
		connection = "keep-alive"
	}
	return func(yield func(name, value []byte) bool) {
		if head != nil {
			for n, v := range head {
				if !wire.Is(n, "Connection") && !(wire.Is(n, "Keep-Alive") && connection == "close") && !yield(n, v) {
					return
				}
			}
		}
		yield([]byte("Connection"), []byte(connection))
	}
}

// kept leaves out of a backend's header those that were dropped.
func (a *account) kept(head variable.Header) variable.Header {
	if head == nil {
		return nil
	}
	return func(yield func(name, value []byte) bool) {
		var once wire.Once
		for n, v := range head {
			if !once.Repeats(a.client.proxy.config.Version, n) && !yield(n, v) {
				return
			}
		}
	}
}

// withEmpty adds the Server and the Date that a backend didn't send: nginx puts
// empty ones in their places (ngx_http_proxy_process_header).
func withEmpty(head variable.Header) variable.Header {
	if head == nil {
		return nil
	}
	return func(yield func(name, value []byte) bool) {
		server, date := false, false
		for n, v := range head {
			server, date = server || wire.Is(n, "Server"), date || wire.Is(n, "Date")
			if !yield(n, v) {
				return
			}
		}
		if !server && !yield([]byte("Server"), nil) {
			return
		}
		if !date {
			yield([]byte("Date"), nil)
		}
	}
}

// headOf yields the header lines of a head; ok is false for one to pass over.
func headOf(head []byte, read func(line []byte) (f wire.Field, ok bool)) variable.Header {
	if len(head) == 0 {
		return nil
	}
	return func(yield func(name, value []byte) bool) {
		_, rest := wire.CutLine(head)
		for len(rest) > 0 {
			var line []byte
			line, rest = wire.CutLine(rest)
			if len(line) == 0 {
				return
			}
			if f, ok := read(line); ok && !yield(f.Name, f.Value) {
				return
			}
		}
	}
}

func (a *account) clientLine(line []byte) (wire.Field, bool) {
	f, ok, bad := a.client.rq.terms.names.HeaderLine(line)
	return f, ok && !bad
}

// sentLine leaves out what nginx writes without counting it among the headers of
// the response: its own Server and Date.
func (a *account) sentLine(line []byte) (wire.Field, bool) {
	f, ok := wire.BackendLine(line)
	own := wire.Is(f.Name, "Server") || wire.Is(f.Name, "Date")
	return f, ok && !(own && (a.headOf == nil || a.headOf.Hides(f.Name)))
}
