package nginxconf

import (
	"testing"
	"time"

	"github.com/nolive/nolive/proxy/upstream"
)

// How long a client's connection is kept without a directive: for 100 requests before
// 1.19.10 and for 1000 since, and then for an hour at most.
func TestKeepaliveOfClients(t *testing.T) {
	for _, c := range []struct {
		version string
		pause   time.Duration
		want    int
	}{
		{"1.19.9", 0, 100}, {"1.19.10", 0, 1000}, {"1.19.9", 74 * time.Second, 100}, {"1.19.10", 74 * time.Second, 3600/74 + 2},
	} {
		v, err := upstream.ParseVersion(c.version)
		if err != nil {
			t.Fatal(err)
		}
		tree, _ := Parse("nginx.conf", []byte("server { listen 80; location / { return 200; } }"), nil)
		cfg, _ := InterpretAs(tree, v)
		rules, kept := cfg.Servers[0].Clients(), 0
		for at := time.Duration(0); ; at += c.pause {
			kept++
			if kept >= rules.Requests || at > rules.Longest {
				break
			}
		}
		if kept != c.want {
			t.Errorf("%s, every %v: kept for %d requests, want %d", c.version, c.pause, kept, c.want)
		}
	}
}
