//go:build e2e

package reference

import (
	"context"
	"testing"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginx"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// benchNginx starts the real nginx with one worker in front of the benchmark's
// backend, kept alive on both sides: the line above which nobody gets.
func benchNginx(b *testing.B, backend string) string {
	tree, problems := nginxconf.Parse("nginx.conf", []byte(`worker_processes 1;
	upstream u { server app; keepalive 64; }
	server { listen 80; keepalive_requests 1000000; location / {
		proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection "";
	} }`), nil)
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	config, problems := nginxconf.Interpret(tree)
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	p, err := nginx.Start(context.Background(), nginx.Options{
		Config: config, Backends: map[string]string{"app": backend}, Clock: clock.New(1), Sink: event.Discard,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Close() })
	return p.Address("")
}
