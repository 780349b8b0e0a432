package backends

import "time"

// Entry is one line of a backend's own log, which unlike a run's events tells of
// connections and of the rule that each got.
type Entry struct {
	// At is scenario time.
	At time.Duration
	// What happened: "connection" (one was accepted), "request" (a whole head was
	// read), "handshake" (a rule decided how TLS begins), "reuse" (the first byte of a
	// further request ended the connection), "replace", "reset" or "revert" (other
	// rules are in force), "fault_on" or "fault_off" (of the backend as a whole).
	What string
	// Version is the set of rules that decided, or that came into force.
	Version int
	// Rule is the place in its set, from 1, of the rule that decided; 0 for none.
	Rule int
	// Fault is what the rule does, as a scenario writes it; "" for none.
	Fault string
	// Connection is the connection's number on the backend, Request the request's,
	// Exchange the request's on its connection; all from 1 and from the start.
	Connection, Request, Exchange int
	// Method and Path of a request, and the header that nolive's clients add.
	Method, Path, ID string
}

// Log takes entries, from several goroutines.
type Log interface{ Note(Entry) }

// noLog drops entries.
type noLog struct{}

var _ Log = noLog{}

// Note does nothing.
func (noLog) Note(Entry) {}
