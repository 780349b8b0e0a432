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
	// Draw is a number in [0, 1) keyed by seed, backend, rule and client
	// request; it is called only when a share is asked for.
	Draw func(rule int) float64
}

// DrawRequest is the draw of a rule's share for a request: a request that is
// tried again on the same backend meets the same fate there.
func DrawRequest(seed uint64, backend string, rule int, request string) float64 {
	return Draw(seed, "share", backend, strconv.Itoa(rule), request)
}

// DrawReuse is the draw of a rule's share at the first byte of a further request,
// the n-th of its connection: it isn't known yet which request that is.
func DrawReuse(seed uint64, backend string, rule, connection, n int) float64 {
	return Draw(seed, "share", backend, strconv.Itoa(rule),
		"connection "+strconv.Itoa(connection)+" exchange "+strconv.Itoa(n))
}

// DrawConnection is the draw of a rule's share at accept, where no request is
// known yet: it is keyed by the connection's number.
func DrawConnection(seed uint64, backend string, rule, connection int) float64 {
	return Draw(seed, "share", backend, strconv.Itoa(rule), "connection "+strconv.Itoa(connection))
}
