package analysis

import "time"

// Picture is lanes cut into columns.
type Picture struct {
	// Column is the length of one column, a round number.
	Column time.Duration
	// Lanes are the backends in the order of the configuration.
	Lanes []Lane
	// Doors are the upstreams that turned somebody away.
	Doors []Door
}

// Columns is how many columns every lane has.
func (p Picture) Columns() int {
	for _, l := range p.Lanes {
		return len(l.Cells)
	}
	return 0
}

// Lane is one backend over time.
type Lane struct {
	Backend string
	Cells   []Cell
}

// Cell is one backend in one column.
type Cell struct {
	// Answered and Failed count attempts that ended in the column: with a whole
	// response, and without one or given up for the next peer. One whose client
	// left is neither.
	Answered, Failed int
	// Errors are those of Answered whose response had a status of 5xx.
	Errors int
	// Busy and Out are shares of the column's time, 0 to 1: with an attempt
	// under way that isn't short in comparison with a column, and out of rotation.
	Busy, Out float64
}

// Door is one upstream over time.
type Door struct {
	Upstream string
	// Turned is, by column, the share of the requests to the upstream that met
	// "no live upstreams", 0 to 1.
	Turned []float64
	// Requests is how many those are in all.
	Requests int
}

// columnLengths are the lengths of columns that people count in.
var columnLengths = [...]time.Duration{
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second, 6 * time.Second,
	10 * time.Second, 12 * time.Second, 15 * time.Second, 20 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 3 * time.Minute, 5 * time.Minute, 6 * time.Minute,
	10 * time.Minute, 12 * time.Minute, 15 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// Fit returns the picture in at most so many columns, one at least.
func (l *Lanes) Fit(columns int) Picture {
	column := l.column(max(columns, 1))
	merge := int(column / l.slice)
	n := int(l.end/column) + 1
	p := Picture{Column: column}
	for i, lane := range l.lanes {
		cells := make([]Cell, n)
		for j := range cells {
			cells[j] = lane.cell(j*merge, min((j+1)*merge, laneSlices), l.slice, column)
			if whole := min(column, l.end-time.Duration(j)*column); whole > 0 { // the last column may be cut short
				cells[j].Busy = min(cells[j].Busy/whole.Seconds(), 1)
				cells[j].Out = min(cells[j].Out/whole.Seconds(), 1)
			} else if j > 0 { // the run ends where this one begins: it is as the one before
				cells[j].Busy, cells[j].Out = cells[j-1].Busy, cells[j-1].Out
			}
		}
		p.Lanes = append(p.Lanes, Lane{l.backends.keys[i], cells})
	}
	for i, door := range l.doors {
		d := Door{Upstream: l.upstreams.keys[i], Turned: make([]float64, n)}
		for j := range d.Turned {
			var sum gate
			for k := j * merge; k < min((j+1)*merge, laneSlices); k++ {
				sum.add(&door[k])
			}
			d.Requests += int(sum.turned)
			if sum.turned > 0 {
				d.Turned[j] = float64(sum.turned) / float64(sum.asked)
			}
		}
		if d.Requests > 0 {
			p.Doors = append(p.Doors, d)
		}
	}
	return p
}

// column is the shortest round length in which the run fits.
func (l *Lanes) column(columns int) time.Duration {
	fits := func(c time.Duration) bool { return c%l.slice == 0 && int(l.end/c) < columns }
	for _, c := range columnLengths {
		if fits(c) {
			return c
		}
	}
	c := max(l.slice, columnLengths[len(columnLengths)-1])
	for !fits(c) {
		c *= 2
	}
	return c
}

// cell puts slices together, times still in seconds. Within a slice several attempts
// at once count as one, so that the share of time comes out and not the number in
// flight.
func (l *lane) cell(from, to int, slice, column time.Duration) Cell {
	var c Cell
	for i := from; i < to; i++ {
		s := &l[i]
		c.Answered += int(s.answered)
		c.Failed += int(s.failed)
		c.Errors += int(s.errors)
		c.Busy += float64(min(s.waited(column), float32(slice.Seconds())))
		c.Out += float64(min(s.out, float32(slice.Seconds())))
	}
	return c
}
