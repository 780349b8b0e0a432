package analysis

// index numbers the keys it meets, from 0. Traffics and backends are few, and
// comparing a handful of short strings is several times faster than hashing
// one; beyond that it is a map.
type index[K comparable] struct {
	keys []K
	m    map[K]int
}

// few is up to how many keys are compared one by one.
const few = 12

// of returns the key's number; a new key gets the next one.
func (x *index[K]) of(k K) int {
	if x.m == nil {
		for i := range x.keys {
			if x.keys[i] == k {
				return i
			}
		}
	} else if i, ok := x.m[k]; ok {
		return i
	}
	x.keys = append(x.keys, k)
	n := len(x.keys) - 1
	if x.m != nil {
		x.m[k] = n
	} else if len(x.keys) > few {
		x.m = make(map[K]int)
		for i, k := range x.keys {
			x.m[k] = i
		}
	}
	return n
}
