package live

import (
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
)

// Patience is longer than all that a proxy and its backends can need.
func TestPatience(t *testing.T) {
	sc := scene()
	sc.Nginx = parse(t, `
upstream u { server a:1; server b:1; server c:1; }
server {
  location / { proxy_pass http://u; }
  location /long { proxy_pass http://d; proxy_read_timeout 1h; }
}`)
	script := fault.Respond(fault.RespondSpec{Size: 1000, After: fault.For(4 * time.Minute)})
	script.Steps[len(script.Steps)-1] = fault.Step{Op: fault.Write, Len: -1, Chunk: 100, For: time.Minute}
	sc.Backends = []scenario.Backend{{Name: "a:1", Rules: fault.Rules{{Do: fault.Fault{Script: script}}}}}
	// One server is tried once; once more is allowed for: 2 x (60 s + 60 s + 1 h).
	proxy := 2 * (time.Hour + 2*time.Minute)
	// About 1000 bytes, 100 a minute, after 4 minutes.
	if got, want := Patience(plan.New(sc, 1)), proxy+14*time.Minute+10*time.Minute; got < want || got > want+2*time.Minute {
		t.Errorf("%v, want %v and up to 2m for the head", got, want)
	}
}
