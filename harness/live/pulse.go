package live

import (
	"runtime"
	"time"

	"github.com/nolive/nolive/harness/clock"
)

// beat is the time between two beats of pulse, in real time: a stall as short as
// hardly any scenario notices at the greatest speed is longer than that.
const beat = 2 * time.Millisecond

// pulse beats until done is closed and notes how late each beat was.
//
// A proxy's answer that lies in a socket while the machine stands still comes late
// at the client, and no send and no wait needs to be due in that time. Virtual
// machines also lose one of their processors for a while: nginx stands, we don't.
// So each beat is on another processor than the last one.
func pulse(c *clock.Clock, done <-chan struct{}) {
	// A thread that was moved is not given back: it ends with this goroutine.
	runtime.LockOSThread()
	processors := newProcessors()
	timer := stoppedTimer()
	defer timer.Stop()
	// Each beat counts from when the last one was looked at, so that no stall falls
	// between two of them.
	due := time.Now().Add(beat)
	for over := false; !over; {
		timer.Reset(time.Until(due))
		select {
		case <-done:
			over = true
		case <-timer.C:
			processors.next()
		}
		now := time.Now()
		if late := now.Sub(due); late >= 0 {
			c.Lateness().Note(clock.Stall, c.Scenario(late))
		}
		due = now.Add(beat)
	}
}
