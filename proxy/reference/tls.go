package reference

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// handshake begins TLS on a new connection to a backend and returns the
// connection to go on with. proxy_connect_timeout, counted from the connect,
// holds for it too; nothing was sent when it fails
// (ngx_http_upstream_ssl_handshake). Certificates aren't verified, as by nginx
// without proxy_ssl_verify.
func (c *client) handshake(conn streamConn, d *dialing) (streamConn, event.Outcome, error) {
	_ = conn.SetDeadline(d.deadline)
	t := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	err := t.HandshakeContext(d)
	if err == nil {
		_ = conn.SetDeadline(time.Time{})
		var inside streamConn
		if inside, err = tunnel(t, conn, &c.proxy.tunnels); err == nil {
			return inside, 0, nil
		}
		_ = conn.Close()
		return nil, 0, errLocal
	}
	_ = conn.Close()
	switch {
	case c.halted():
		return nil, 0, errHalted
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.late(d.deadline)
		c.model.Handshaking(upstream.HandshakeTimedOut)
		return nil, c.proxy.config.Version.LateHandshake(), nil
	}
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		c.model.Handshaking(upstream.HandshakeReset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		c.model.Handshaking(upstream.HandshakeClosed)
	default:
		c.model.Handshaking(upstream.HandshakeFailed)
	}
	return nil, event.Refused, nil
}

// tunnelPatience is how long, in real time, what is still in a closed tunnel may take
// to get to the backend: one that doesn't read would hold it for ever.
const tunnelPatience = time.Second

// mouth is the proxy's end of a tunnel.
type mouth struct {
	*net.TCPConn
	under streamConn // what TLS runs on
}

var _ streamConn = mouth{}

// Close closes the tunnel, however full it is.
func (m mouth) Close() error {
	_ = m.under.SetWriteDeadline(time.Now().Add(tunnelPatience))
	return m.TCPConn.Close()
}

// tunnel is a plain connection on this machine whose other end goes on as t. All
// of the proxy waits on bare sockets, which TLS isn't; so bytes are carried over
// by two goroutines, which running counts, and FIN and RST with them.
func tunnel(t *tls.Conn, under streamConn, running *sync.WaitGroup) (streamConn, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer ln.Close()
	near, err := dialer.Dial("tcp", ln.Addr().String())
	if err != nil {
		return nil, err
	}
	far, err := ln.Accept()
	for err == nil && far.RemoteAddr().String() != near.LocalAddr().String() {
		far.Close() // somebody else's
		far, err = ln.Accept()
	}
	if err != nil {
		near.Close()
		return nil, err
	}
	back := far.(*net.TCPConn)
	running.Go(func() { // to the backend, until the proxy closes
		_, _ = io.Copy(t, back)
		_ = under.Close()
	})
	running.Go(func() { // and from it
		_, err := io.Copy(back, t)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			_ = back.SetLinger(0) // it was reset
			_ = back.Close()
			return
		}
		_ = back.CloseWrite() // closed, with or without a word (SSL_OP_IGNORE_UNEXPECTED_EOF)
	})
	return mouth{near.(*net.TCPConn), under}, nil
}
