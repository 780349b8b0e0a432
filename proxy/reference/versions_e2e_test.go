//go:build e2e

package reference

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginx"
	"github.com/nolive/nolive/proxy/upstream"
)

// What requests.txt says of the version that is there is what it does.
func TestRequestsOnNginx(t *testing.T) {
	said, err := exec.Command("nginx", "-v").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	_, number, _ := strings.Cut(strings.TrimSpace(string(said)), "/")
	number, _, _ = strings.Cut(number, " ")
	v, err := upstream.ParseVersion(number)
	if err != nil {
		t.Fatal(err)
	}
	p, err := nginx.Start(context.Background(), nginx.Options{
		Config: configured(t, "requests.conf", v), Backends: map[string]string{"b1": echo(t).Addr().String(), "b2": mute(t)}, Clock: clock.New(1), Sink: event.Discard,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	for _, a := range askings(t, "requests.txt") {
		var now *turn
		for i := range a.turns {
			if v.Since(a.turns[i].since.String()) {
				now = &a.turns[i]
			}
		}
		if now == nil {
			continue
		}
		if !v.LimitsHeaders() && strings.Count(a.raw, "\r\n") > 1000 {
			continue // Debian's 1.22.1 has max_headers, carried back
		}
		if got := answerTo(t, p.Address(""), a.raw); now.differs(got) != "" {
			t.Errorf("line %d: %s\n%.200q\n%.400q", a.line, now.differs(got), a.raw, got)
		}
	}
}
