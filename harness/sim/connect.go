package sim

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// attempt connects to the peer, or takes an idle connection, and sends the request.
func (s *Sim) attempt(f *flight, d upstream.Decision) {
	pass := f.trip.Step.Pass
	p := s.workers[f.worker].pool(pass.Upstream)
	b := p.backends[d.Peer]
	f.passing, f.status, f.script = false, 0, nil
	if d.Conn != 0 {
		c := p.cache
		f.conn = c.conns[d.Conn]
		delete(c.conns, d.Conn)
		f.x = exchange{b: b, conn: f.conn}
		s.request(f, &f.x)
		return
	}
	s.knock(f, b, d.Peer, pass.ConnectTimeout)
}

// knock begins a connection of its own for the flight: what comes of its first SYN
// depends on the backend's door.
func (s *Sim) knock(f *flight, b *backend, peer int, timeout time.Duration) {
	f.own = conn{b: b, opened: s.now, peer: peer}
	f.conn, f.connectBy = &f.own, s.now+timeout
	f.x = exchange{b: b, conn: f.conn}
	switch b.door(s.now) {
	case fault.Refusing, fault.Stopping:
		s.due(f, s.now, doFail, event.Refused)
	case fault.Blackholed:
		s.connectLater(f, &f.x)
	default:
		s.connectAgain(f, &f.x)
	}
}

// connectLater waits for a host that doesn't answer: until the time-out, or
// until a retransmitted SYN finds it back. That is of real time: on sockets at
// speed N a host that comes back during a connect is found N times later than here.
func (s *Sim) connectLater(f *flight, x *exchange) {
	deadline := f.connectBy
	for _, after := range synAgain {
		at := f.own.opened + after
		if at <= s.now {
			continue
		}
		if at > deadline {
			break
		}
		switch x.b.door(at) {
		case fault.Blackholed:
			continue
		case fault.Refusing, fault.Stopping:
			s.due(f, at, doFail, event.Refused)
		default:
			s.push(step{at: at, do: doConnected, f: f, x: x, gen: f.gen})
		}
		return
	}
	s.push(step{at: deadline, do: doConnectFail, f: f, gen: f.gen})
}

// synAgain is when Linux sends a SYN again that nobody answered, with its
// defaults since 6.5: four times a second apart, then twice as long each time
// (tcp_retransmit_timer, tcp_syn_linear_timeouts = 4, tcp_syn_retries = 6). Older
// kernels send after 1, 3, 7, 15, 31 and 63 s.
var synAgain = [...]time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second, 5 * time.Second, 7 * time.Second}

// connected goes on once the connection stands.
func (s *Sim) connected(f *flight, x *exchange) {
	if f.trip.Stream != nil {
		s.established(f, x)
		return
	}
	if f.trip.Step.Pass.TLS {
		s.handshake(f, x)
		return
	}
	s.request(f, x)
}
