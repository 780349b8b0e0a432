package live

import (
	"bytes"
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// BenchmarkClient is one request after the other against a server that does
// nothing but answer, in this process; allocations are the client's alone, but
// for accept's.
func BenchmarkClient(b *testing.B) {
	for _, bb := range []struct {
		name   string
		client scenario.Client
	}{
		{"connection each", scenario.Client{}},
		{"kept alive", scenario.Client{Keepalive: true}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			s := trivial(b)
			c := newBench(b, s.Addr().String(), scenario.Traffic{Client: bb.client}, 1)
			c.sink = event.Discard
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			var idle idle
			defer idle.close()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				if _, ok := c.send(ctx, &idle, c.begin(event.Request{Traffic: "curl", N: n}, c.clock.Now())); !ok {
					b.Fatal("the run ended")
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}

// BenchmarkOpenLoop is how many requests a second the generator gets done, 64
// at a time, on all cores, with the server in the same process.
func BenchmarkOpenLoop(b *testing.B) {
	s := trivial(b)
	c := newBench(b, s.Addr().String(), scenario.Traffic{}, 1)
	c.sink = event.Discard
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.ReportAllocs()
	slots := make(chan struct{}, 64)
	var wg sync.WaitGroup
	n := 0
	for b.Loop() {
		n++
		slots <- struct{}{}
		o := c.begin(event.Request{Traffic: "curl", N: n}, c.clock.Now())
		wg.Go(func() { c.send(ctx, &idle{}, o); <-slots })
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}

// trivial answers whatever a read brings.
func trivial(b *testing.B) net.Listener {
	l := listen(b)
	b.Cleanup(func() { l.Close(); time.Sleep(10 * time.Millisecond) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buf := make([]byte, 4<<10)
				for {
					n, err := c.Read(buf)
					if err != nil || !bytes.HasSuffix(buf[:n], []byte("\r\n\r\n")) {
						return
					}
					if _, err := c.Write([]byte(ok)); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l
}
