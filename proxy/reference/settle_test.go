package reference

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// A client that has left is seen before the proxy is closed; one that stays is not
// waited for for ever.
func TestSettle(t *testing.T) {
	got := make(chan struct{}, 2)
	p := play(t, func(_ int, x *exchange) { x.head(); got <- struct{}{}; _ = x.gone() })
	s := start(t, addrs(p), nil)
	leaves, stays := s.dial(), s.dial()
	for _, c := range []io.Writer{leaves, stays} {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		<-got
	}
	settle := func(patience time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		s.Settle(ctx)
		return ctx.Err()
	}
	if settle(20*time.Millisecond) == nil {
		t.Error("settled with two clients there")
	}
	_, _ = leaves.Close(), stays.Close()
	if err := settle(time.Minute); err != nil {
		t.Errorf("two clients have left: %v", err)
	}
	if n := strings.Count(s.log.of(event.AttemptEnded), "aborted"); n != 2 {
		t.Errorf("settled, and %d attempts have ended, want 2", n)
	}
}
