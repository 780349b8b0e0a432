package upstream

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// release is the way in which an attempt lets go of its peer.
type release uint8

const (
	passed release = iota // anything that isn't a failure
	failed
	next // 403 and 404: passed on to the next peer, but never counted
)

// release tells that the attempt ended, lets go of its peer, and tells a mark.
func (r *Request) release(now time.Duration, how release, o event.Outcome, status int) {
	e := event.Event{At: now, Kind: event.AttemptEnded, Outcome: o, Status: status}
	switch {
	case r.tooBig && o == event.InvalidHeader:
		e.Detail = tooBig
	case o == event.InvalidHeader:
		e.Detail = r.badHeader
	case r.handshake != "" && (o == event.Refused || o == event.ConnectTimeout):
		e.Detail = r.handshake
	case r.queueFull && o == event.Refused:
		e.Detail = queueFull
	}
	r.tooBig, r.queueFull, r.badHeader, r.handshake = false, false, "", ""
	if r.gone && how != passed {
		e.Status = 0 // nginx gives up before it notes one
	}
	r.emit(e)
	if r.letGo(now, how) {
		e.Kind = event.PeerMarked
		r.emit(e)
	}
	r.group.logger.settle()
}

// letGo is ngx_http_upstream_free_round_robin_peer. It says whether nginx logs
// "upstream server temporarily disabled".
func (r *Request) letGo(now time.Duration, how release) (disabled bool) {
	p := r.peer
	p.conns--
	if r.group.single {
		r.tries = 0
		if r.group.cfg.Version.ClearsSingle() {
			p.fails = 0
		}
		return false
	}
	if how == failed {
		disabled = p.failed(second(now))
	} else {
		p.passed()
	}
	r.tries-- // an attempt that runs is one of them
	return disabled
}
