package live

import (
	"crypto/tls"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/certs"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// Clients shake hands where the proxy wants TLS: they name the server, check no
// certificate, and keep the connection as they would in plain.
func TestTLS(t *testing.T) {
	authority, err := certs.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	set, err := authority.Issue([]string{"another.example"})
	if err != nil {
		t.Fatal(err)
	}
	pair, err := set.Expired.TLS()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var names []string
	var handshakes atomic.Int32
	l := listen(t)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		names = append(names, r.TLS.ServerName)
		mu.Unlock()
		if r.Header.Get("X") == "long" {
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write([]byte("01234"))
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusTeapot)
	})}
	go func() {
		_ = server.Serve(tls.NewListener(l, &tls.Config{
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { handshakes.Add(1); return &pair, nil },
		}))
	}()
	t.Cleanup(func() { server.Close() })

	b := newBench(t, l.Addr().String(), scenario.Traffic{Method: "POST", Body: 100 << 10, Client: scenario.Client{Keepalive: true}}, 1)
	b.client.tls = clientTLS("shop.example")
	var kept idle
	defer kept.close()
	for n := range 3 {
		if e := b.ask(t, &kept, n+1); e.Outcome != event.Passed || e.Status != http.StatusTeapot {
			t.Errorf("request %d: %v %d", n+1, e.Outcome, e.Status)
		}
	}
	mu.Lock()
	if len(names) != 3 || names[2] != "shop.example" || handshakes.Load() != 1 {
		t.Errorf("asked for %q in %d handshakes, want shop.example three times in one", names, handshakes.Load())
	}
	mu.Unlock()
}

// What goes wrong in a handshake is told as in plain.
func TestHandshakes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		play   func(*peer)
		client scenario.Client
		want   event.Outcome
	}{
		{"closed", func(c *peer) { c.Close() }, scenario.Client{}, event.Closed},
		{"in plain", func(c *peer) { c.say("HTTP/1.1 400 Bad Request\r\n\r\n"); c.Close() }, scenario.Client{}, event.Closed},
		{"never answered", func(c *peer) { c.rest() }, scenario.Client{Timeout: 60 * time.Millisecond}, event.ClientTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(_ int, c *peer) { tt.play(c) })
			b := newBench(t, s.address(), scenario.Traffic{Client: tt.client}, 1)
			b.client.tls = clientTLS("")
			if e := b.ask(t, &idle{}, 1); e.Outcome != tt.want {
				t.Errorf("got %v, want %v", e.Outcome, tt.want)
			}
		})
	}
}
