package fault

import (
	"slices"
	"sort"
	"time"
)

// Doors is a backend's door over a whole run, as Rules.DoorChanges returns it:
// never empty, the first entry at 0, in order of time.
type Doors []DoorChange

// DoorChange is an instant at which a backend's door changes.
type DoorChange struct {
	At   time.Duration
	Door Door
}

// At returns the door at t, and the instant of its next change; false when it
// stays as it is.
func (d Doors) At(t time.Duration) (door Door, next time.Duration, ok bool) {
	i := max(d.after(t)-1, 0)
	if i+1 < len(d) {
		return d[i].Door, d[i+1].At, true
	}
	return d[i].Door, 0, false
}

// after is the place of the first change after t.
func (d Doors) after(t time.Duration) int {
	return sort.Search(len(d), func(i int) bool { return d[i].At > t })
}

// After returns the first change after t; false when there is none.
func (d Doors) After(t time.Duration) (DoorChange, bool) {
	if i := d.after(t); i < len(d) {
		return d[i], true
	}
	return DoorChange{}, false
}

// Thaw maps an instant at which a backend would act on a connection to the one
// at which it can: a stopped process and a host that is gone stand still until
// that ends. It is false when that never ends. At an instant at which the port
// is closed it returns that instant: there the connection ends.
func (d Doors) Thaw(t time.Duration) (time.Duration, bool) {
	for {
		door, next, ok := d.At(t)
		switch {
		case door == Open || door == Refusing || door == Stopping:
			return t, true
		case !ok:
			return 0, false
		}
		t = next
	}
}

// Stops returns the first instant after t at which the backend stands still;
// false when there is none.
func (d Doors) Stops(t time.Duration) (time.Duration, bool) {
	for _, c := range d[d.after(t):] {
		if c.Door == Frozen || c.Door == Blackholed {
			return c.At, true
		}
	}
	return 0, false
}

// Closes returns the first instant from t on at which the port is closed, and
// with it every open connection; false when there is none.
func (d Doors) Closes(t time.Duration) (time.Duration, bool) {
	for _, c := range d[max(d.after(t-1), 0):] {
		if c.Door == Refusing {
			return c.At, true
		}
	}
	return 0, false
}

// Then is a door that is as d says before at, and from then on as next says,
// whose instants count from at.
func (d Doors) Then(at time.Duration, next Doors) Doors {
	var out Doors
	for _, c := range d {
		if c.At < at {
			out = append(out, c)
		}
	}
	for _, c := range next {
		c.At += at
		if len(out) == 0 || out[len(out)-1].Door != c.Door {
			out = append(out, c)
		}
	}
	return out
}

// Shuts says whether the door is ever not open.
func (d Doors) Shuts() bool {
	return slices.ContainsFunc(d, func(c DoorChange) bool { return c.Door != Open })
}

// Ends returns the first instant from t on at which an idle connection is closed
// because the process ends; false when there is none.
func (d Doors) Ends(t time.Duration) (time.Duration, bool) {
	if door, _, _ := d.At(t); door == Stopping {
		return t, true
	}
	for _, c := range d[d.after(t):] {
		if c.Door == Stopping {
			return c.At, true
		}
	}
	return 0, false
}

// changes samples door at the edges and keeps the instants at which it differs.
func changes(edges []time.Duration, door func(time.Duration) Door) []DoorChange {
	slices.Sort(edges)
	out := []DoorChange{{0, door(0)}}
	for _, t := range slices.Compact(edges) {
		if d := door(t); d != out[len(out)-1].Door {
			out = append(out, DoorChange{t, d})
		}
	}
	return out
}
