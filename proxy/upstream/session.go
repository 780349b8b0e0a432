package upstream

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// A Request through a block of stream is a client's connection: Begin when it was
// accepted, then Fail (Refused or ConnectTimeout alone) or Connected, then Relayed.
// Every failure ends with 502 (ngx_stream_proxy_next_upstream), everything after a
// connect with 200.

// Connected tells that the connection to the peer stands. That is a success
// already, so a marked peer is back while its first session still lasts (since
// 1.11.8, ngx_stream_upstream_notify_round_robin_peer).
func (r *Request) Connected(now time.Duration) {
	r.emit(event.Event{At: now, Kind: event.Connected})
	if r.group.cfg.Version.RevivesAtConnect() {
		r.peer.passed()
	}
}

// Relayed ends a session that was connected. how is what ended it as far as the
// error log tells: Reset for a RST from the backend, else 0. Nothing of it counts.
func (r *Request) Relayed(now time.Duration, how event.Outcome) {
	r.emit(event.Event{At: now, Kind: event.AttemptEnded, Outcome: event.Relayed, Detail: how.String()})
	r.letGo(now, passed)
}
