package backends

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"time"

	"github.com/nolive/nolive/backends/certs"
	"github.com/nolive/nolive/backends/fault"
)

// handshake takes up a connection that begins with TLS, as the rules say, and
// says whether it goes on. One that begins otherwise is plain HTTP.
func (c *conn) handshake(at time.Duration) bool {
	first, err := c.in.Peek(1)
	if err != nil || !c.wire.waited() {
		return false
	}
	const handshakeRecord = 22
	if first[0] != handshakeRecord {
		return true
	}
	t := c.pickHandshake(at)
	if t.After > 0 {
		if _, ok := c.sleep(at + t.After); !ok {
			return false
		}
	}
	switch t.Handshake {
	case fault.HungHandshake:
		c.watch(never)
		return false
	case fault.ClosedHandshake:
		c.fin()
		return false
	case fault.ResetHandshake:
		c.rst()
		return false
	case fault.RefusedHandshake:
		// A fatal alert, protocol_version, in a record of TLS 1.2 (RFC 5246, 7.2).
		c.wire.Write([]byte{21, 3, 3, 0, 2, 2, 70})
		c.fin()
		return false
	case fault.PlainHandshake:
		c.wire.Write([]byte("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		c.fin()
		return false
	}
	pair, err := certificate(c.s.opts.Certificates, t.Handshake).TLS()
	if err != nil {
		c.s.fail(err)
		return false
	}
	c.tls = tls.Server(under{c.in, &c.wire, c.wire.conn}, &tls.Config{
		Certificates: []tls.Certificate{pair},
		// A resumed session would skip the certificate.
		SessionTicketsDisabled: true,
	})
	if c.tls.Handshake() != nil {
		c.tls = nil
		return false
	}
	c.to = c.tls
	c.in = bufio.NewReader(c.tls)
	return true
}

// pickHandshake is what the rules say of the handshake.
func (c *conn) pickHandshake(at time.Duration) *fault.TLS {
	x := c.s.in.Load().set
	f := x.rules.PickIn(fault.OnHandshake, &fault.Exchange{
		At: at - x.since, Connection: max(c.number-x.connections, 0),
		Draw: func(rule int) float64 {
			return fault.DrawHandshake(c.s.opts.Seed, c.s.opts.Name, rule, c.number)
		},
	})
	if f == nil {
		return &fault.TLS{}
	}
	what := "tls " + f.TLS.Handshake.String()
	if f.TLS.Handshake.Fails() {
		c.tellCut(at, what)
	}
	c.s.opts.Log.Note(Entry{At: at, What: "handshake", Version: x.version, Rule: x.count(f), Fault: what, Connection: c.number})
	return f.TLS
}

// certificate is the one that a handshake shows.
func certificate(s *certs.Set, h fault.Handshake) certs.Pair {
	switch h {
	case fault.ExpiredCertificate:
		return s.Expired
	case fault.WrongNameCertificate:
		return s.WrongName
	case fault.UntrustedCertificate:
		return s.Untrusted
	}
	return s.Good
}

// under is the wire as TLS sees it: what was looked at already comes first.
type under struct {
	in io.Reader
	*wire
	net.Conn
}

// Read reads what TLS hasn't seen yet.
func (u under) Read(p []byte) (int, error) { return u.in.Read(p) }

// Write writes when the backend can.
func (u under) Write(p []byte) (int, error) { return u.wire.Write(p) }
