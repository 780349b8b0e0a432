package agree

import (
	"context"
	"testing"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/proxy/upstream"
)

// When its time is over Shrink begins no round, which would fail here.
func TestShrinkingEnds(t *testing.T) {
	one, err := Draw(7, upstream.Version{})
	if err != nil {
		t.Fatal(err)
	}
	f := Finding{Case: one, Engine: harness.Reference, Verdict: Differs}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Options{Shrinking: time.Hour}).Shrink(ctx, f); err == nil {
		t.Error("a round on a context that has ended didn't fail")
	}
	if got, err := (Options{Shrinking: 1}).Shrink(ctx, f); err != nil || got.Case != one {
		t.Errorf("got %v and %v, want the finding itself", got, err)
	}
}
