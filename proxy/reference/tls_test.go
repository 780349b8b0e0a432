package reference

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/certs"
)

// noted is a connection that tells when it is closed.
type noted struct {
	*net.TCPConn
	once   sync.Once
	closed chan struct{}
}

func (n *noted) Close() error {
	n.once.Do(func() { close(n.closed) })
	return n.TCPConn.Close()
}

// A backend that speaks TLS and reads nothing holds neither a connection nor a
// goroutine of a proxy that has given it up.
func TestTunnelEndsAlthoughTheBackendReadsNothing(t *testing.T) {
	authority, err := certs.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	set, err := authority.Issue([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	pair, err := set.Good.TLS()
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		conn, err := ln.Accept()
		if err == nil {
			_ = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{pair}}).Handshake()
			accepted <- conn
		}
	}()
	plain, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	under := &noted{TCPConn: plain.(*net.TCPConn), closed: make(chan struct{})}
	client := tls.Client(under, &tls.Config{InsecureSkipVerify: true})
	if err := client.Handshake(); err != nil {
		t.Fatal(err)
	}
	defer (<-accepted).Close()
	var running sync.WaitGroup
	near, err := tunnel(client, under, &running)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil { // until the tunnel is full
		_ = near.SetWriteDeadline(time.Now().Add(time.Second))
		_, err = near.Write(make([]byte, 64<<10))
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	_ = near.Close()
	over := make(chan struct{})
	go func() { running.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(20 * tunnelPatience):
		t.Fatal("the tunnel still runs")
	}
	<-under.closed
}
