package live

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// finisher is a proxy that is never done.
type finisher struct {
	stub
	asked []event.Request
}

func (f *finisher) Finish(ctx context.Context, requests []event.Request) {
	f.asked = requests
	<-ctx.Done()
}

// A run waits for requests that a proxy got and whose clients have left, not for one that
// never went out, and not for ever.
func TestFinish(t *testing.T) {
	gone := func(name string, after time.Duration) scenario.Traffic {
		return scenario.Traffic{Name: name, Load: scenario.Load{Times: 1}, Client: scenario.Client{Timeout: after}}
	}
	sc := scene(gone("left", 50*time.Millisecond), gone("unsent", time.Nanosecond), scenario.Traffic{Name: "stays", Load: scenario.Load{Times: 1}})
	const limit = 100 * time.Millisecond
	u := &upstream.Config{Name: "u", Servers: []upstream.Server{upstream.NewServer("a:80")}}
	for _, ignores := range []bool{true, false} {
		sc.Nginx.Servers[0].Locations[0].Pass = &nginxconf.Pass{Upstream: u, ConnectTimeout: limit, SendTimeout: limit, ReadTimeout: limit, IgnoreClientAbort: ignores}
		s := serve(t, func(_ int, c *peer) {
			if r := c.request(); r != nil && r.Header.Get(event.RequestHeader) == "stays/1" {
				c.say(ok)
			}
			c.rest()
		})
		p := &finisher{stub: stub{address: s.address()}}
		began := time.Now()
		out, _ := run(t, sc, 1, func(context.Context, Setup) (Proxy, error) { return p, nil })
		var want []event.Request
		if ignores {
			want = []event.Request{{Traffic: "left", N: 1}}
		}
		if !slices.Equal(p.asked, want) || out.Invalid != "" {
			t.Errorf("ignores %v: asked for %v, want %v; %s", ignores, p.asked, want, out.Invalid)
		}
		if least := 2 * sc.Nginx.Longest(); ignores && out.End < least {
			t.Errorf("the run ended after %v, before the %v of two passes", out.End, least)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the run took %v", took)
		}
	}
}
