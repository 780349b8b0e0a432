package analysis

import "time"

// slot is what one slice knows of a backend. The times are seconds, summed up
// over attempts, so they may exceed the slice.
type slot struct {
	busy                     [len(patiences) + 1]float32
	out                      float32
	answered, errors, failed uint32
}

func (s *slot) add(t *slot) {
	for i := range s.busy {
		s.busy[i] += t.busy[i]
	}
	s.out += t.out
	s.answered += t.answered
	s.errors += t.errors
	s.failed += t.failed
}

// gate is what one slice knows of an upstream: the requests that came, and those
// of them that were turned away with "no live upstreams".
type gate struct{ asked, turned uint32 }

func (g *gate) add(h *gate) {
	g.asked += h.asked
	g.turned += h.turned
}

// patiences divide attempts by how long they lasted. A picture whose columns are
// a minute long doesn't show a server that answers in 20 ms as one that is being
// waited for, however many such answers follow each other.
var patiences = [...]time.Duration{
	100 * time.Millisecond, 300 * time.Millisecond, time.Second,
	3 * time.Second, 10 * time.Second, 30 * time.Second,
}

func patienceOf(d time.Duration) int {
	for i, p := range patiences {
		if d < p {
			return i
		}
	}
	return len(patiences)
}

// waited are the seconds of attempts that may be as long as half a column.
func (s *slot) waited(column time.Duration) float32 {
	sum := float32(0)
	for i := patienceOf(column / 2); i < len(s.busy); i++ {
		sum += s.busy[i]
	}
	return sum
}

// lengths are those of slices. Each divides the next, so that slices can be put
// together; beyond the last they double.
var lengths = [...]time.Duration{
	10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 5 * time.Second, 15 * time.Second,
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
}

func longerThan(d time.Duration) time.Duration {
	for _, l := range lengths {
		if l > d {
			return l
		}
	}
	return 2 * d
}
