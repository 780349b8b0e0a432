package clock

import (
	"context"
	"testing"
	"time"
)

// Scenario time runs N times faster, from the first Begin on.
func TestClock(t *testing.T) {
	c := New(20)
	if c.At(time.Now()) != 0 {
		t.Error("scenario time before Begin isn't 0")
	}
	origin := time.Now()
	c.Begin(origin)
	c.Begin(origin.Add(time.Hour))
	if got := c.At(origin.Add(3 * time.Second)); got != time.Minute {
		t.Errorf("3 s are %v, want 1m", got)
	}
	if got := c.Instant(time.Minute); !got.Equal(origin.Add(3 * time.Second)) {
		t.Errorf("1m is %v after the origin, want 3s", got.Sub(origin))
	}
	if got := c.Real(time.Minute); got != 3*time.Second {
		t.Errorf("1m takes %v, want 3s", got)
	}
}

// A sleep is never short, and notes how late it was.
func TestSleepUntil(t *testing.T) {
	c := New(100)
	c.Begin(time.Now())
	if err := c.SleepUntil(t.Context(), time.Second, Wait); err != nil {
		t.Fatal(err)
	}
	if now := c.Now(); now < time.Second {
		t.Errorf("woke at %v", now)
	}
	if j := c.Lateness().Jitter(Wait); j.Count != 1 || c.Lateness().Max(Wait) <= 0 {
		t.Errorf("noted %+v, worst %v", j, c.Lateness().Max(Wait))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.SleepUntil(ctx, time.Hour, Send); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if j := c.Lateness().Jitter(Send); j.Count != 0 {
		t.Error("an interrupted sleep was noted")
	}
}

// Kinds are apart; the worst is exact, the summary has three digits.
func TestLateness(t *testing.T) {
	var l Lateness
	l.Note(Send, 1234567*time.Microsecond)
	l.Note(Send, -time.Second)
	if got := l.Max(Send); got != 1234567*time.Microsecond {
		t.Errorf("worst send %v", got)
	}
	if got := l.Max(Wait); got != 0 {
		t.Errorf("worst wait %v", got)
	}
	j := l.Jitter(Send)
	if j.Count != 2 || j.P50 != 0 || j.Max < 1234*time.Millisecond || j.Max > 1236*time.Millisecond {
		t.Errorf("%+v", j)
	}
}
