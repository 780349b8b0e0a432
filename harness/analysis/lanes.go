package analysis

import (
	"slices"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Cell says what happened on one backend in one slice of time. Several bits may
// be set; a picture shows the gravest.
type Cell uint8

// The bits, from the lightest to the gravest.
const (
	// Answered: an attempt ended with a response.
	Answered Cell = 1 << iota
	// Out: the backend was out of rotation.
	Out
	// Busy: an attempt that lasts longer than a slice was under way.
	Busy
	// Failed: an attempt ended without a response, or was given up for the next.
	Failed
)

// laneCells is how many slices a lane holds at most: enough for a wide
// terminal, and constant however long the run.
const laneCells = 256

// Lanes computes one lane per backend over time, in constant memory: when a run
// outgrows the slices, they double in length.
type Lanes struct {
	// Width is the length of one slice.
	Width time.Duration
	// End is the latest instant seen.
	End   time.Duration
	names []string
	cells map[string]*[laneCells]Cell
}

var _ Observer = (*Lanes)(nil)

// NewLanes returns empty lanes for the backends, in this order.
func NewLanes(backends []string) *Lanes {
	l := &Lanes{Width: 10 * time.Millisecond, cells: map[string]*[laneCells]Cell{}}
	for _, b := range backends {
		l.lane(b)
	}
	return l
}

func (l *Lanes) lane(name string) *[laneCells]Cell {
	c := l.cells[name]
	if c == nil {
		c = new([laneCells]Cell)
		l.cells[name] = c
		l.names = append(l.names, name)
	}
	return c
}

// Exchange draws the attempts of one request.
func (l *Lanes) Exchange(x *Exchange) {
	for i := range x.Attempts {
		a := &x.Attempts[i]
		end, last := a.Ended, Answered
		switch a.Outcome {
		case event.Passed, event.Truncated, event.Aborted:
		case 0:
			end, last = max(x.Ended, a.Started), Busy
		default:
			last = Failed
		}
		l.reach(end)
		from, to := l.at(a.Started), l.at(end)
		lane := l.lane(a.Peer)
		for c := from; c < to; c++ {
			lane[c] |= Busy
		}
		lane[to] |= last
	}
}

// Stretch draws a time out of rotation.
func (l *Lanes) Stretch(s Stretch) {
	l.reach(s.To)
	lane := l.lane(s.Peer)
	for c := l.at(s.From); c < l.at(s.To); c++ {
		lane[c] |= Out
	}
}

// Mark draws nothing: a mark is where an out-of-rotation stretch begins.
func (l *Lanes) Mark(Mark) {}

// Log draws nothing.
func (l *Lanes) Log(event.Event) {}

func (l *Lanes) at(t time.Duration) int { return int(max(t, 0) / l.Width) }

// reach makes room for an instant.
func (l *Lanes) reach(t time.Duration) {
	l.End = max(l.End, t)
	for l.at(t) >= laneCells {
		for _, c := range l.cells {
			for i := range laneCells / 2 {
				c[i] = c[2*i] | c[2*i+1]
			}
			clear(c[laneCells/2:])
		}
		l.Width *= 2
	}
}

// Backends are the names of the lanes, in order.
func (l *Lanes) Backends() []string { return l.names }

// Lane is one backend's picture.
type Lane struct {
	Name  string
	Cells []Cell
}

// Fit returns the lanes in width slices or fewer, and the length of each.
func (l *Lanes) Fit(width int) ([]Lane, time.Duration) {
	used := l.at(l.End) + 1
	merge := max((used+width-1)/max(width, 1), 1)
	var out []Lane
	for _, name := range l.names {
		cells := l.cells[name][:used]
		lane := Lane{Name: name}
		for part := range slices.Chunk(cells, merge) {
			sum := Cell(0)
			for _, c := range part {
				sum |= c
			}
			lane.Cells = append(lane.Cells, sum)
		}
		out = append(out, lane)
	}
	return out, l.Width * time.Duration(merge)
}
