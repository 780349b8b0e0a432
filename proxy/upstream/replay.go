package upstream

import (
	"fmt"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Recorded is one event of a run, with what the request asked for. Of one
// upstream ReplayEvents takes AttemptStarted, AttemptEnded, PeerMarked, NoLive
// and ProxyAnswered in the order of the log, and ignores every other kind and
// what happened in another upstream.
type Recorded struct {
	Event event.Event
	// Arrival is the request's; its ID and Worker are taken from the event.
	Arrival Arrival
	// Replaced is true where the client's status may be another than the one that
	// the model ends with, and the request may come again: error pages.
	Replaced bool
}

// ReplayOptions say how far the stamps of a log can be trusted.
type ReplayOptions struct {
	// ClockError is how far a stamp may be from the instant that it stands for, by
	// the proxy's own clock, in scenario time, either way. nginx's stamps are the
	// very milliseconds that its peers see, at any speed; what is computed from
	// several durations is off by a millisecond each. 0 is exact; equal stamps
	// are in no order even then.
	ClockError time.Duration
	// Readings is how many readings of a log may be followed side by side, 0 for
	// 64, and 1024 if those don't explain it. See Replay.Cut.
	Readings int
}

// Replay is what came of feeding a recorded run to the model.
//
// A stamp is only near the truth, so a log has several readings: two instants
// closer to each other than their errors may have been in either order, and one
// closer to a whole second's edge than its error may lie on either side. What has
// a line in one worker's error log is in the order of the lines (Event.Order). The
// model follows all readings and agrees when one of them explains everything.
type Replay struct {
	// Decisions is how many were compared: one for each request that came (which
	// peer, or none), one for each attempt that ended (marked or not; next peer,
	// none, give up with which status, pass on).
	Decisions int
	// Ambiguous counts the decisions on which the readings didn't agree, so that
	// the recorded one is explained by some of them only.
	Ambiguous int
	// Edges counts the instants so close to a second's edge that either side was
	// tried, and where the side made a difference to the decision or to a peer.
	Edges int
	// Different counts the decisions that no reading explains.
	Different int
	// Cut counts the moments at which there were more readings than could be
	// followed; those farthest from the stamps were dropped. A difference after
	// a cut is no proof.
	Cut int
	// First is the first difference, nil for none.
	First *Difference
}

// Difference is a decision that the model takes otherwise than it was recorded,
// whatever the reading.
type Difference struct {
	At      time.Duration
	Request event.Request
	// Try is the attempt that ended, 0 for a request that came.
	Try int
	// What happened at At: "came", or "try 1 on a ended: reset".
	What string
	// Model and Recorded are what follows: "mark a, try b", "no live upstreams",
	// "answer 504", "pass on".
	Model, Recorded string
	// ModelPeer and RecordedPeer are the peers tried next, "" for none.
	ModelPeer, RecordedPeer string
	// Before is the model's state just before, After what its own decision made
	// of it. Of the readings that came so far it is the one nearest to the stamps.
	Before, After []PeerState
}

// String tells the difference in a few lines.
func (d *Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %v %s: model: %s; recorded: %s", d.At, d.Request, d.What, d.Model, d.Recorded)
	for i, p := range d.Before {
		fmt.Fprintf(&b, "\n  before %v\n  after  %v", p, d.After[i])
	}
	return b.String()
}

// String is one line of counters.
func (p PeerState) String() string {
	out := ""
	if p.Out {
		out = " out"
	}
	return fmt.Sprintf("%s current=%d effective=%d fails=%d accessed=%d checked=%d conns=%d%s",
		p.Name, p.Current, p.Effective, p.Fails, p.Accessed, p.Checked, p.Conns, out)
}

// ReplayEvents feeds the recorded instants of one upstream to the model and
// compares every decision. Without a zone each worker has a model of its own.
//
// After a difference it goes on by forcing what was recorded, in several ways
// side by side, of which those survive that explain the rest best:
//
//   - the recorded peer takes part in the pick and wins, whatever its state:
//     everybody eligible moves as ever, so the weights are those of a proxy that
//     did pick it; a forced mark sets the failures to max_fails, a forced absence
//     of one to max_fails-1;
//   - the model's own pick and marks stay, and the request runs on the recorded
//     peer all the same (the record has a wrong name, or lacks a line);
//   - the model's own picks happened just before and aren't in the log, up to as
//     many as lead to the recorded one (a request of somebody else).
//
// A recorded "no live upstreams" moves nothing.
func ReplayEvents(cfg Config, in []Recorded, opt ReplayOptions) Replay {
	var total Replay
	for _, steps := range recordedSteps(cfg, in, 2*opt.ClockError) {
		total.add(replaySteps(cfg, steps, opt))
	}
	return total
}

// replaySteps replays one group. Few readings explain almost every log. One that
// they don't explain is worth the time of many, unless it differs all over.
func replaySteps(cfg Config, steps []step, opt ReplayOptions) Replay {
	if opt.Readings > 0 {
		return newSearch(cfg, steps, opt).run()
	}
	opt.Readings = 64
	r := newSearch(cfg, steps, opt).run()
	if r.Different > 0 && r.Different <= max(20, r.Decisions/100) && r.Cut > 0 {
		opt.Readings = 1024
		r = newSearch(cfg, steps, opt).run()
	}
	return r
}

// add sums up the replays of two workers.
func (r *Replay) add(o Replay) {
	r.Decisions += o.Decisions
	r.Ambiguous += o.Ambiguous
	r.Edges += o.Edges
	r.Different += o.Different
	r.Cut += o.Cut
	if o.First != nil && (r.First == nil || o.First.At < r.First.At) {
		r.First = o.First
	}
}
