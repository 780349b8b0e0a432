package scenario

import (
	"cmp"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/check"
)

// DefaultJitter is how late a send or a wait may be when the scenario doesn't
// say otherwise: nginx's own clock has whole seconds.
const DefaultJitter = time.Second

// Tolerance is how late a send or a wait may be before a run proves nothing, in
// scenario time.
func (s *Scenario) Tolerance() time.Duration { return cmp.Or(s.Jitter, DefaultJitter) }

// borne is the lateness that the expectations bear: half the width of the
// narrowest span of time among them ("60s ±1s" bears 1 s, "44s..52s" 4 s), and
// DefaultJitter at most. A comparison ("> 59s") tells nothing, since nobody
// knows how far from it the figure is; nor does a value without a tolerance,
// which no run on sockets could meet.
func borne(checks []check.Check) time.Duration {
	least := DefaultJitter
	for _, c := range checks {
		eachSpan(c, func(_ string, s check.Span) {
			if s.Unit != check.Seconds || math.IsInf(s.Hi, 0) || s.Lo <= 0 || s.Hi <= s.Lo {
				return
			}
			half := (s.Hi - s.Lo) / 2
			least = min(least, time.Duration(math.Round(half*1e6))*time.Microsecond)
		})
	}
	return max(least, time.Millisecond)
}

// eachSpan calls f for every Span that a check has set, with the key that it stands
// under.
func eachSpan(c check.Check, f func(key string, s check.Span)) {
	v := reflect.Indirect(reflect.ValueOf(c))
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		var span check.Span
		switch x := v.Field(i).Interface().(type) {
		case check.Span:
			span = x
		case check.Distinct:
			span = x.Span
		}
		if span.Set {
			f(keyOf(field), span)
		}
	}
}

// keyOf is the key under which a scenario has a field of a check.
func keyOf(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
	return key
}
