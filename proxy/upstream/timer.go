package upstream

import "time"

// Timer is one of nginx's timers, which are lazy: one that is set and would move
// by less than 300 ms stays where it is (ngx_event_add_timer,
// NGX_TIMER_LAZY_DELAY). An upstream connection has one for everything that is
// read from it, so with proxy_read_timeout 600ms and keepalive_timeout 700ms an
// idle connection goes 600 ms after its last request was sent; and between two
// pieces of a body the read time-out may pass up to 300 ms early. The zero value
// isn't set.
type Timer struct {
	at  time.Duration
	set bool
}

// LazyDelay is NGX_TIMER_LAZY_DELAY, in the proxy's own time.
const LazyDelay = 300 * time.Millisecond

// Add sets the timer to d after now, or leaves it where it is.
func (t *Timer) Add(now, d time.Duration) {
	if at := now + d; !t.set || (at-t.at).Abs() >= LazyDelay {
		t.at, t.set = at, true
	}
}

// At is the instant at which the timer goes off.
func (t *Timer) At() time.Duration { return t.at }
