// Package clock turns the real clock into scenario time that runs N times
// faster. It never decides what happens; it measures how late things happened.
package clock

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Clock is scenario time over the real, monotonic clock. Make one with New,
// hand it to everything that takes part in the run, then Begin once. It is safe
// for concurrent use after Begin.
type Clock struct {
	speed  float64
	begun  chan struct{}
	once   sync.Once
	origin time.Time
	late   Lateness
}

// New returns a clock that will run at speed, at least 1, once it has begun.
func New(speed float64) *Clock {
	return &Clock{speed: speed, begun: make(chan struct{})}
}

// Begin sets the real instant at which scenario time is 0. It may lie a little
// in the future. Only the first call counts.
func (c *Clock) Begin(origin time.Time) {
	c.once.Do(func() { c.origin = origin; close(c.begun) })
}

// Begun is closed once Begin was called.
func (c *Clock) Begun() <-chan struct{} { return c.begun }

// Speed is scenario seconds per real second.
func (c *Clock) Speed() float64 { return c.speed }

// Now is the present scenario time; 0 before Begin.
func (c *Clock) Now() time.Duration { return c.At(time.Now()) }

// At is the scenario time of a real instant.
func (c *Clock) At(t time.Time) time.Duration {
	select {
	case <-c.begun:
		return c.Scenario(t.Sub(c.origin))
	default:
		return 0
	}
}

// Real is how long a stretch of scenario time really takes.
func (c *Clock) Real(d time.Duration) time.Duration {
	return time.Duration(float64(d) / c.speed)
}

// Scenario is how much scenario time a real stretch is.
func (c *Clock) Scenario(d time.Duration) time.Duration {
	return time.Duration(float64(d) * c.speed)
}

// NoteLate notes how late it is now for what was due at a real instant.
func (c *Clock) NoteLate(kind Kind, due time.Time) {
	c.late.Note(kind, c.Scenario(time.Since(due)))
}

// Instant is the real instant of a scenario time; the clock must have begun.
func (c *Clock) Instant(t time.Duration) time.Time {
	<-c.begun
	return c.origin.Add(c.Real(t))
}

// SleepUntil waits for scenario time t and notes how late it returned, in the
// given kind of lateness. It returns ctx's error if that ended first.
func (c *Clock) SleepUntil(ctx context.Context, t time.Duration, kind Kind) error {
	return c.SleepUnless(ctx, nil, t, kind)
}

// ErrOver is what SleepUnless returns when something else came first.
var ErrOver = errors.New("something else came first")

// SleepUnless is SleepUntil that ends early, with ErrOver, when over is closed.
func (c *Clock) SleepUnless(ctx context.Context, over <-chan struct{}, t time.Duration, kind Kind) error {
	select {
	case <-c.begun:
	case <-over:
		return ErrOver
	case <-ctx.Done():
		return ctx.Err()
	}
	if wait := time.Until(c.Instant(t)); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-over:
			return ErrOver
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	c.late.Note(kind, c.Now()-t)
	return ctx.Err()
}

// Lateness is what the run has measured of itself so far.
func (c *Clock) Lateness() *Lateness { return &c.late }
