package backends

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
)

// A write that is under way when the freeze begins doesn't go on during it, and
// goes on after it where it stopped.
func TestWriteStopsInTheMiddle(t *testing.T) {
	const size, at, until = 64 << 20, 100 * time.Millisecond, 600 * time.Millisecond
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var in atomic.Pointer[regime]
	in.Store(newRegime(&set{}, fault.Doors{{Door: fault.Open}, {At: at, Door: fault.Frozen}, {At: until, Door: fault.Open}}))
	w := wire{conn: tcpSocket{server.(*net.TCPConn)}, ctx: ctx, clock: clock.New(1), in: &in, until: never}
	body := fault.Body{Size: size}
	sent := body.Append(nil, 0, size)
	w.clock.Begin(time.Now())
	wrote := make(chan error, 1)
	go func() {
		_, err := w.Write(sent)
		server.Close()
		wrote <- err
	}()
	// Nobody reads until the freeze, so that it begins in the middle.
	w.clock.SleepUntil(ctx, at+50*time.Millisecond, clock.Send)
	got, err := io.ReadAll(client)
	if at := w.clock.Now(); at < until {
		t.Errorf("all %d bytes came by %v, during the freeze", len(got), at)
	}
	if err != nil || string(got) != string(sent) {
		t.Errorf("got %d bytes and %v, want the %d that were written", len(got), err, size)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
}
