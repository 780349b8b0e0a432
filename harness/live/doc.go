// Package live runs a plan on real sockets: it starts the fake backends and a
// proxy, sends the load, and hands on what everyone observed, in order of time.
// It never decides what a proxy or a backend does, and never judges.
//
// # Time
//
// A request counts from its planned instant: RequestSent.At is when it was to
// be sent, so a generator that is late can't make the proxy look fast. How late
// the sends really were goes to the clock's lateness, and a run that was later
// than its scenario tolerates is invalid.
//
// # Clients
//
// A client speaks HTTP/1.0 or 1.1 on its own connection, as curl does: one
// request a connection, which the client ends once it has the whole answer, or
// kept alive. A kept-alive connection that the proxy closed while it was
// idle is noticed before it is used again. If it dies only after the request
// went out and before a byte of an answer, the client tries once more on a
// fresh connection, whatever the method, and that is still one request; both
// are curl's rules (Curl_conn_seems_dead, Curl_retry_request). A request on a
// fresh connection is never repeated.
//
// # Bounds
//
// At most MaxOutstanding requests are under way at once; one more makes the run
// invalid instead of silently slower. A run in which only unanswered requests
// are left is given up after Patience.
package live
