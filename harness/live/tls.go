package live

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// clientTLS is how clients begin a connection to a server that they know by a name,
// "" for none. They offer HTTP/1 alone and check nobody's certificate: the proxy's
// may be one that stands in for the real one, or belong to another name.
func clientTLS(name string) *tls.Config {
	return &tls.Config{ServerName: name, InsecureSkipVerify: true, MinVersion: tls.VersionTLS10}
}

// secure begins TLS on a connection, if the proxy wants it. Without a stream it has
// closed the connection, and returns the outcome, or 0 when the run is over.
func (c *client) secure(ctx context.Context, tcp *net.TCPConn, deadline time.Time) (net.Conn, event.Outcome) {
	if c.tls == nil {
		return tcp, 0
	}
	_ = tcp.SetDeadline(deadline)
	s := tls.Client(tcp, c.tls)
	err := s.HandshakeContext(ctx)
	if err == nil {
		return plainEnd{s}, 0
	}
	_ = tcp.Close()
	switch {
	case ctx.Err() != nil:
		return nil, 0
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, event.ClientTimeout
	}
	return nil, event.Closed
}

// plainEnd is a connection with TLS that may end without saying so, as one in plain
// does: whether an answer came whole its own framing tells.
type plainEnd struct{ *tls.Conn }

func (c plainEnd) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
