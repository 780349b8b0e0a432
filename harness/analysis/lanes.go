package analysis

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Lanes computes, over time, what filled each backend and how many requests
// each upstream turned away. Its memory is constant: when a run outgrows the
// slices, they get longer.
type Lanes struct {
	// slice is the length of one slice, end the latest instant seen.
	slice, end time.Duration
	backends   index[string]
	lanes      []*lane
	upstreams  index[string]
	doors      []*door
}

var _ Observer = (*Lanes)(nil)

// laneSlices is how many slices a lane has: after the largest step from one length
// to the next, five, there are still more than a usual terminal has columns.
const laneSlices = 1024

// lane is one backend, door one upstream.
type (
	lane [laneSlices]slot
	door [laneSlices]gate
)

// NewLanes returns empty lanes for the backends, in this order.
func NewLanes(backends []string) *Lanes {
	l := &Lanes{slice: lengths[0]}
	for _, b := range backends {
		l.lane(b)
	}
	return l
}

func (l *Lanes) lane(name string) *lane {
	i := l.backends.of(name)
	if i == len(l.lanes) {
		l.lanes = append(l.lanes, new(lane))
	}
	return l.lanes[i]
}

func (l *Lanes) door(upstream string) *door {
	i := l.upstreams.of(upstream)
	if i == len(l.doors) {
		l.doors = append(l.doors, new(door))
	}
	return l.doors[i]
}

// Exchange draws the attempts of one request, and whether it was turned away.
func (l *Lanes) Exchange(x *Exchange) {
	l.reach(x.Ended)
	for i := range x.Attempts {
		if a := &x.Attempts[i]; a.Peer != "" { // else its events were lost
			l.attempt(a, x.Ended)
		}
	}
	switch {
	case x.NoLive:
		l.reach(x.NoLiveAt)
		g := &l.door(x.NoLiveIn)[l.at(x.NoLiveAt)]
		g.asked++
		g.turned++
	case len(x.Attempts) > 0 && x.Attempts[0].Peer != "":
		l.reach(x.Attempts[0].Started)
		l.door(x.Attempts[0].Upstream)[l.at(x.Attempts[0].Started)].asked++
	}
}

// attempt draws one attempt; one without an end lasts until the end of its request.
func (l *Lanes) attempt(a *Attempt, ended time.Duration) {
	if a.Outcome != 0 {
		ended = a.Ended
	}
	ended = max(ended, a.Started)
	l.reach(ended)
	lane := l.lane(a.Peer)
	p := patienceOf(ended - a.Started)
	l.spread(a.Started, ended, func(i int, seconds float32) { lane[i].busy[p] += seconds })
	switch a.Outcome {
	case 0, event.Aborted: // still running, or its client left: no word on the backend
	case event.Passed, event.Relayed:
		lane[l.at(ended)].answered++
		if a.Status >= 500 {
			lane[l.at(ended)].errors++
		}
	default:
		lane[l.at(ended)].failed++
	}
}

// Stretch draws a time out of rotation: for one worker of four it is a quarter of it.
func (l *Lanes) Stretch(s Stretch) {
	l.reach(s.To)
	lane := l.lane(s.Peer)
	share := 1 / float32(max(s.Workers, 1))
	l.spread(s.From, s.To, func(i int, seconds float32) { lane[i].out += seconds * share })
}

// Mark draws nothing: a mark is where an out-of-rotation stretch begins.
func (l *Lanes) Mark(Mark) {}

// Log draws nothing.
func (l *Lanes) Log(event.Event) {}

// spread tells how much of a time lies in each slice.
func (l *Lanes) spread(from, to time.Duration, add func(i int, seconds float32)) {
	from = max(from, 0)
	if to <= from {
		return
	}
	first, last := l.at(from), l.at(to)
	if first == last {
		add(first, float32((to - from).Seconds()))
		return
	}
	add(first, float32((time.Duration(first+1)*l.slice - from).Seconds()))
	whole := float32(l.slice.Seconds())
	for i := first + 1; i < last; i++ {
		add(i, whole)
	}
	add(last, float32((to - time.Duration(last)*l.slice).Seconds()))
}

func (l *Lanes) at(t time.Duration) int { return int(max(t, 0) / l.slice) }

// reach makes room for an instant.
func (l *Lanes) reach(t time.Duration) {
	l.end = max(l.end, t)
	for l.at(t) >= laneSlices {
		longer := longerThan(l.slice)
		n := int(longer / l.slice)
		for _, lane := range l.lanes {
			fold(lane[:], n, (*slot).add)
		}
		for _, door := range l.doors {
			fold(door[:], n, (*gate).add)
		}
		l.slice = longer
	}
}

// fold makes one slice of each n.
func fold[T any](cells []T, n int, add func(*T, *T)) {
	for i := range cells {
		var sum T
		for j := i * n; j < min((i+1)*n, len(cells)); j++ {
			add(&sum, &cells[j])
		}
		cells[i] = sum
	}
}
