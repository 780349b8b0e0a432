package nginxconf

import (
	"math"
	"strings"
	"time"
)

// number is nginx's ngx_atoi: digits only, up to the largest int64; -1 is an error.
func number(s string) int64 {
	if s == "" {
		return -1
	}
	var v int64
	for i := range len(s) {
		c := s[i]
		if c < '0' || c > '9' {
			return -1
		}
		d := int64(c - '0')
		if v > (math.MaxInt64-d)/10 {
			return -1
		}
		v = v*10 + d
	}
	return v
}

// size is nginx's ngx_parse_size: a number with k or m, either case; with big
// g too (ngx_parse_offset). -1 is an error.
func size(s, units string) int64 {
	if s == "" {
		return -1
	}
	scale := int64(1)
	if i := strings.IndexByte(units, s[len(s)-1]|0x20); i >= 0 {
		scale = 1 << (10 * (i + 1))
		s = s[:len(s)-1]
	}
	v := number(s)
	if v < 0 || v > math.MaxInt64/scale {
		return -1
	}
	return v * scale
}

// unit is one unit of nginx's time syntax; they have to come in this order,
// each once.
type unit struct {
	name string
	ms   int64
}

const (
	second = int64(1000)
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

var timeUnits = []unit{
	{"y", 365 * day}, {"M", 30 * day}, {"w", 7 * day}, {"d", day}, {"h", hour}, {"m", minute}, {"s", second}, {"ms", 1},
}

// duration is nginx's ngx_parse_time: 1h30m, 90 (seconds), 500ms, "1m 30s". With
// seconds it knows no milliseconds, with milliseconds no years and months, as
// nginx does. A time longer than Go's longest is the longest. False is an error.
func duration(s string, whole wholeness) (time.Duration, bool) {
	var total int64
	step, valid := 0, false
	base := time.Second // what total counts
	if whole == milliseconds {
		step = 2 // no years and months
		base = time.Millisecond
	}
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] >= '0' && s[j] <= '9' {
			j++
		}
		v := int64(0)
		if j > i {
			if v = number(s[i:j]); v < 0 {
				return 0, false
			}
			valid = true
		}
		scale := second
		if j < len(s) {
			n, u := unitAt(s[j:], step)
			if u.name == "ms" && whole == seconds || u.ms == 0 {
				return 0, false
			}
			step, scale = n+1, u.ms
			j += len(u.name)
			for j < len(s) && s[j] == ' ' {
				j++
			}
		}
		if whole == seconds {
			scale /= second
		}
		if v > (math.MaxInt64-total)/scale {
			return 0, false
		}
		total += v * scale
		i = j
	}
	if !valid {
		return 0, false
	}
	return time.Duration(min(total, math.MaxInt64/int64(base))) * base, true
}

// wholeness says which of nginx's two time types a value has.
type wholeness uint8

const (
	milliseconds wholeness = iota
	seconds
)

// unitAt returns the unit at the start of s, if it may still come; a space
// stands for seconds and ends the value.
func unitAt(s string, step int) (int, unit) {
	if s[0] == ' ' && step <= 6 {
		return len(timeUnits), unit{" ", second}
	}
	for n := len(timeUnits) - 1; n >= step; n-- {
		if strings.HasPrefix(s, timeUnits[n].name) {
			if timeUnits[n].name == "m" && strings.HasPrefix(s, "ms") {
				break
			}
			return n, timeUnits[n]
		}
	}
	return 0, unit{}
}

// Milliseconds reads a time as most directives take it, "1m30s" or "500ms".
func Milliseconds(s string) (time.Duration, bool) { return duration(s, milliseconds) }
