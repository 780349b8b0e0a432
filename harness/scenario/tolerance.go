package scenario

import (
	"math"
	"reflect"
	"time"

	"github.com/nolive/nolive/harness/check"
)

// DefaultJitter is how late a send or a wait may be when the scenario doesn't
// say otherwise: nginx's own clock has whole seconds.
const DefaultJitter = time.Second

// tolerance is the lateness that the expectations bear: half the width of the
// narrowest span of time among them ("60s ±1s" bears 1 s, "44s..52s" 4 s), and
// DefaultJitter at most. A comparison ("> 59s") tells nothing, since nobody
// knows how far from it the figure is; nor does a value without a tolerance,
// which no run on sockets could meet.
func tolerance(checks []check.Check) time.Duration {
	least := DefaultJitter
	for _, c := range checks {
		spans(reflect.ValueOf(c), func(s check.Span) {
			if s.Unit != check.Seconds || math.IsInf(s.Hi, 0) || s.Lo <= 0 || s.Hi <= s.Lo {
				return
			}
			half := (s.Hi - s.Lo) / 2
			least = min(least, time.Duration(math.Round(half*1e6))*time.Microsecond)
		})
	}
	return max(least, time.Millisecond)
}

// spans calls f for every Span that a check has set.
func spans(v reflect.Value, f func(check.Span)) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch x := v.Field(i).Interface().(type) {
		case check.Span:
			if x.Set {
				f(x)
			}
		case *check.Span:
			if x != nil && x.Set {
				f(*x)
			}
		}
	}
}
