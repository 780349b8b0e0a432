// Package upstream is the nginx model: which peer a request goes to, what
// counts as a failure, when a peer is out of rotation, whether the next peer is
// tried, and what the client gets. It is pure: it does no I/O and reads no
// clock; now is an argument, and the caller serialises the calls.
//
// The simulator and the reference proxy are two shells that carry its decisions
// out. Every surprise names the nginx function it comes from; real nginx is the
// judge, and a difference is a bug here.
//
// A recorded run can be fed to it afterwards (ReplayEvents): at the instants that
// really occurred it must take the decisions that were recorded. LogMessage and
// Logger speak the language of nginx's error log.
//
// The life of one request:
//
//	d := r.Begin(group, cache, arrival, now)
//	for d.Action == upstream.Try {
//		// connect to d.Peer, or reuse d.Conn; then one of
//		d = r.Fail(now, outcome)  // no whole header
//		d = r.Header(now, status) // a whole header: Pass, or Try the next
//	}
//	if d.Action == upstream.Pass { r.End(now, outcome, status) }
package upstream
