package fault

import (
	"slices"
	"time"
)

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

// healthy is what a backend does that no rule speaks of: 200 with a short body, at once.
var healthy = Fault{Script: Respond(RespondSpec{})}
