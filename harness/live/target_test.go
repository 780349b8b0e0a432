package live

import (
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// `to` picks a listen address or a server_name, and the Host header is such
// that nginx picks the same server.
func TestFindTarget(t *testing.T) {
	c := parse(t, `
server { listen 80; location / { return 200; } }
server { listen *:80; server_name shop.example *.shop.example; location / { return 201; } }
server { listen 127.0.0.1:8080 default_server; listen 81; server_name api; location / { return 202; } }
`)
	served := map[string]string{"80": "127.0.0.1:1", "*:80": "127.0.0.1:1", "127.0.0.1:8080": "127.0.0.1:2", "81": "127.0.0.1:3"}
	for _, tt := range []struct{ to, dial, host string }{
		{"", "127.0.0.1:1", "127.0.0.1:1"},
		{"80", "127.0.0.1:1", "127.0.0.1:1"},
		{"*:80", "127.0.0.1:1", "127.0.0.1:1"},
		{"81", "127.0.0.1:3", "127.0.0.1:3"},
		{"shop.example", "127.0.0.1:1", "shop.example"},
		{"a.shop.example", "127.0.0.1:1", "a.shop.example"},
		{"api", "127.0.0.1:2", "api"},
		{"api:81", "127.0.0.1:3", "api"},
	} {
		got, err := findTarget(c, tt.to, func(l string) string { return served[l] })
		if err != nil || got.dial != tt.dial || got.host != tt.host {
			t.Errorf("to %q: %s with Host %s, %v; want %s with Host %s", tt.to, got.dial, got.host, err, tt.dial, tt.host)
		}
	}
	if _, err := findTarget(c, "shop", func(l string) string { return served[l] }); err == nil || !strings.HasPrefix(err.Error(), `to "shop": `) {
		t.Errorf("error %v", err)
	}
}

func parse(t testing.TB, text string) *nginxconf.Config {
	t.Helper()
	tree, problems := nginxconf.Parse("test.conf", []byte(text), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	c, problems := nginxconf.Interpret(tree)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}
