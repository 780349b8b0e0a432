// Package admin runs fake backends without a proxy and lets them be changed over
// HTTP while they serve: what the command `nolive backend` does. It never decides
// what a fault means, and it writes to nobody's terminal.
//
//	GET    /backends                  all backends, their rules and counts
//	GET    /backends/NAME             one
//	PUT    /backends/NAME/rules       other rules, as YAML; ?ttl=30s reverts them by itself
//	DELETE /backends/NAME/rules       the rules it was started with, begun anew
//	GET    /backends/NAME/log         its log, one JSON object a line; ?from=N, ?follow=true
//
// Package client has the answers as Go types.
package admin
