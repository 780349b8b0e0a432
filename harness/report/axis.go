package report

import (
	"strings"
	"time"
)

// ticks are the distances of marks on a time axis.
var ticks = [...]time.Duration{
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// axis is a line of round time marks, each at its column, ten columns apart or
// somewhat more; "" when not even the second one fits.
func axis(columns int, column time.Duration) string {
	const apart = 10
	tick := apart * column
	for _, t := range ticks {
		if t >= apart*column && t%column == 0 {
			tick = t
			break
		}
	}
	step := int(tick / column)
	line := ""
	for at := 0; at < columns; at += step {
		mark := Duration(time.Duration(at) * column)
		if at+len(mark) > columns {
			break
		}
		line += strings.Repeat(" ", at-len(line)) + mark
	}
	if line == "0s" {
		return ""
	}
	return line
}
