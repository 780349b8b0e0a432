package nginx

import (
	"context"
	"net"
	"testing"
)

// A question that is given up just when its connection breaks off crashes nobody.
func TestPingGivenUp(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Read(make([]byte, 100))
			cancel()
			c.Close()
		}()
		p := pinger{address: l.Addr().String()}
		if _, err := p.ping(ctx); err == nil {
			t.Fatal("an answer from nowhere")
		}
	}
}
