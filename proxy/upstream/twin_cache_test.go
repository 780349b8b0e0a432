package upstream_test

import "time"

// store keeps a connection and returns the one that has to be closed.
func (t *twin) store(id uint64, name string, served int, age time.Duration, now time.Time) uint64 {
	if served >= t.perConnection || age > time.Hour {
		return id
	}
	t.idle = append([]twinIdle{{id, name, now}}, t.idle...)
	if len(t.idle) > t.capacity {
		last := t.idle[len(t.idle)-1]
		t.idle = t.idle[:len(t.idle)-1]
		return last.id
	}
	return 0
}

func (t *twin) remove(id uint64) bool {
	for i, c := range t.idle {
		if c.id == id {
			t.idle = append(append([]twinIdle{}, t.idle[:i]...), t.idle[i+1:]...)
			return true
		}
	}
	return false
}
