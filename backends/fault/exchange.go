package fault

import (
	"strconv"
	"time"
)

// Exchange is what a rule may look at: one request as a backend meets it.
type Exchange struct {
	Method string
	Path   string
	// Header returns a header's value, "" when absent. nil means no header.
	Header func(name string) string
	// At is when the request arrived, in scenario time.
	At time.Duration
	// Request, Connection and Exchange are the numbers of When. A connection is
	// counted when the backend accepts it, a request when its head was read; a
	// frozen backend does both at its thaw, in the order of arrival.
	Request, Connection, Exchange int
	// Body is the size of the request's body, -1 when it isn't known.
	Body int64
	// Since is how long the window has been open of the rule that was picked last;
	// picking sets it.
	Since time.Duration
	// Length is a number in [0, 1) keyed by seed, backend, client request and step,
	// for a Delay; nil is always the middle.
	Length func(step int) float64
	// Draw is a number in [0, 1) keyed by seed, backend, rule and client
	// request; it is called only when a share is asked for.
	Draw func(rule int) float64
}

// DrawRequest is the draw of a rule's share for a request: a request that is
// tried again on the same backend meets the same fate there.
func DrawRequest(seed uint64, backend string, rule int, request string) float64 {
	return Draw(seed, "share", backend, strconv.Itoa(rule), request)
}

// DrawLength is the draw of a step's Delay: a request that is tried again on the
// same backend takes as long there.
func DrawLength(seed uint64, backend string, step int, request string) float64 {
	return Draw(seed, "length", backend, strconv.Itoa(step), request)
}

// DrawReuse is the draw of a rule's share at the first byte of a further request,
// the n-th of its connection: it isn't known yet which request that is.
func DrawReuse(seed uint64, backend string, rule, connection, n int) float64 {
	return Draw(seed, "share", backend, strconv.Itoa(rule),
		"connection "+strconv.Itoa(connection)+" exchange "+strconv.Itoa(n))
}

// DrawHandshake is the draw of a rule's share at a TLS handshake, keyed by the
// connection's number.
func DrawHandshake(seed uint64, backend string, rule, connection int) float64 {
	return Draw(seed, "share", backend, strconv.Itoa(rule), "handshake "+strconv.Itoa(connection))
}

// DrawConnection is the draw of a rule's share at accept, where no request is
// known yet: it is keyed by the connection's number.
func DrawConnection(seed uint64, backend string, rule, connection int) float64 {
	return Draw(seed, "share", backend, strconv.Itoa(rule), "connection "+strconv.Itoa(connection))
}
