package sim

import (
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// handshake begins a connection by TLS. proxy_connect_timeout, counted from the
// connect, holds for it too, and whatever goes wrong comes before the request was
// sent (ngx_http_upstream_ssl_handshake).
func (s *Sim) handshake(f *flight, x *exchange) {
	if x.b.left(x.conn, s.now) {
		f.req.Handshaking(upstream.HandshakeReset)
		s.due(f, s.now, doFail, event.Refused)
		return
	}
	x.trip, x.f, x.gen = f.trip, f, f.gen
	at, ok := x.b.doors.Thaw(s.now)
	switch {
	case ok && at > s.now && at <= f.connectBy:
		s.push(step{at: at, do: doHandshake, f: f, x: x, gen: f.gen})
		return
	case !ok || at > s.now:
		if ok {
			s.push(step{at: at, do: doGone, x: x.outlive()})
		}
		f.req.Handshaking(upstream.HandshakeTimedOut)
		s.due(f, f.connectBy, doFail, s.plan.Scenario.Nginx.Version.LateHandshake())
		return
	}
	over, fails := s.now, false
	if s.crowded(x, doHandshake) {
		f.req.Handshaking(upstream.HandshakeTimedOut)
		s.due(f, f.connectBy, doFail, s.plan.Scenario.Nginx.Version.LateHandshake())
		return
	}
	hangs, why := false, upstream.HandshakeReset
	switch what := s.accept(x); {
	case what != nil && what.AtAccept != 0:
		over, fails, hangs = s.now+what.AcceptAfter, true, what.AtAccept == fault.Stall
		if what.AtAccept == fault.Close {
			why = upstream.HandshakeClosed
		}
	default:
		over = x.b.state.Accept(what, s.now)
		if t := s.pickHandshake(x); t != nil {
			over, fails, hangs = over+t.After, t.Handshake.Fails(), t.Handshake == fault.HungHandshake
			why = whyNot(t.Handshake)
		}
	}
	if hangs {
		over = f.connectBy + 1
	}
	over, ok = x.b.doors.Thaw(over)
	if closes, shut := x.b.doors.Closes(s.now); shut && (!ok || closes <= over) {
		over, ok, fails, why = closes, true, true, upstream.HandshakeReset
	}
	switch {
	case !ok || over > f.connectBy:
		f.req.Handshaking(upstream.HandshakeTimedOut)
		s.due(f, f.connectBy, doFail, s.plan.Scenario.Nginx.Version.LateHandshake())
	case fails:
		f.req.Handshaking(why)
		s.due(f, over, doFail, event.Refused)
	case over == s.now:
		s.request(f, x)
	default:
		s.push(step{at: over, do: doShaken, f: f, x: x, gen: f.gen})
	}
}

// whyNot is what the proxy says of a handshake that fails.
func whyNot(h fault.Handshake) string {
	switch h {
	case fault.ClosedHandshake:
		return upstream.HandshakeClosed
	case fault.ResetHandshake:
		return upstream.HandshakeReset
	}
	return upstream.HandshakeFailed
}

// pickHandshake is what the backend's rules say of a handshake, nil for nothing.
func (s *Sim) pickHandshake(x *exchange) *fault.TLS {
	if len(x.b.rules) == 0 {
		return nil
	}
	f := x.b.rules.PickIn(fault.OnHandshake, &fault.Exchange{
		At: s.now, Connection: x.conn.number, Draw: func(rule int) float64 {
			return fault.DrawHandshake(x.b.seed, x.b.name, rule, x.conn.number)
		},
	})
	if f == nil {
		return nil
	}
	if f.TLS.Handshake.Fails() {
		s.tellCut(x, "tls "+f.TLS.Handshake.String())
	}
	return f.TLS
}
