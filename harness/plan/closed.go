package plan

import (
	"strconv"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// Users is how many users ask, wait and ask again; 0 for an open loop.
func (t *Traffic) Users() int {
	if t.Open() {
		return 0
	}
	return max(t.Spec.Load.Users, 1)
}

// Start is the instant of the first request of a user, from 1.
func (t *Traffic) Start(user int) time.Duration { return t.start(user) }

// Pause is how long a user waits after the k-th answer, from 1.
func (t *Traffic) Pause(user, k int) time.Duration {
	return t.draw(t.Spec.Load.Pause, "pause", user, k)
}

// More says whether a user sends a k-th request, from 1, at the instant now.
func (t *Traffic) More(user, k int, now time.Duration) bool {
	l := t.Spec.Load
	return (l.Times == 0 || k <= l.Times) && (l.For == 0 || now < t.Start(user)+l.For)
}

// Request names a user's k-th request. The numbers of several users
// interleave, so a name doesn't depend on who was faster.
func (t *Traffic) Request(user, k int) event.Request {
	return event.Request{Traffic: t.Spec.Name, N: (k-1)*t.Users() + user}
}

func (t *Traffic) start(user int) time.Duration {
	return t.draw(t.Spec.Load.Start, "start", user, 0)
}

// draw picks a duration within an interval, in whole microseconds.
func (t *Traffic) draw(i scenario.Interval, what string, user, k int) time.Duration {
	if i.Hi <= i.Lo {
		return i.Lo
	}
	u := fault.Draw(t.seed, what, t.Spec.Name, strconv.Itoa(user), strconv.Itoa(k))
	return i.Lo + time.Duration(u*float64(i.Hi-i.Lo)).Truncate(time.Microsecond)
}
