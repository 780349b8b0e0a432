package nginx

import (
	"context"
	"math"
	"time"
)

// fit says what nginx's clock shows at a real instant: milli + speed * (t - ref).
type fit struct {
	ref   time.Time
	speed float64
	// milli is nginx's clock at ref in milliseconds since 1970; half is how far
	// off it may be.
	milli, half float64
}

// pings is how many readings one calibration takes. At speed 1 they need to
// meet the edge of a millisecond of nginx's clock, which only shows whole ones.
const pings = 60

// calibrate reads nginx's clock several times. Every reading bounds the clock
// from both sides: nginx took its time (once per turn of its event loop) after
// the question was sent and before the answer came, and cut off the fraction of
// a millisecond. The bounds of all readings are cut with each other, which is
// sharper than the shortest round trip alone.
func calibrate(ctx context.Context, p *pinger, speed float64) (fit, error) {
	var rs []reading
	for range pings {
		r, err := p.ping(ctx)
		if err != nil {
			return fit{}, err
		}
		rs = append(rs, r)
	}
	return fitReadings(rs, rs[0].before, speed), nil
}

func fitReadings(rs []reading, ref time.Time, speed float64) fit {
	f := fit{ref: ref, speed: speed}
	lo, hi := math.Inf(-1), math.Inf(1)
	best := math.Inf(1)
	var bestLo, bestHi float64
	for _, r := range rs {
		l := float64(r.msec) - f.passed(r.after)
		h := float64(r.msec) + 1 - f.passed(r.before)
		lo, hi = max(lo, l), min(hi, h)
		if h-l < best {
			best, bestLo, bestHi = h-l, l, h
		}
	}
	if lo > hi {
		// The clock was set, or stalled, between two readings: the one with the
		// shortest round trip alone is the best there is.
		lo, hi = bestLo, bestHi
	}
	f.milli, f.half = (lo+hi)/2, (hi-lo)/2
	return f
}

// passed is how many milliseconds of nginx's clock lie between ref and t.
func (f fit) passed(t time.Time) float64 {
	return float64(t.Sub(f.ref)) / float64(time.Millisecond) * f.speed
}

// at is nginx's clock at t, in milliseconds since 1970.
func (f fit) at(t time.Time) float64 { return f.milli + f.passed(t) }

// instant is the inverse of at.
func (f fit) instant(milli float64) time.Time {
	return f.ref.Add(time.Duration((milli - f.milli) / f.speed * float64(time.Millisecond)))
}

// nextSecond is the first whole second of nginx's clock that is at least lead
// of real time away from now.
func (f fit) nextSecond(now time.Time, lead time.Duration) int64 {
	return int64(math.Ceil(f.at(now.Add(lead)) / 1000))
}

// errorUntil is how far this fit was off by the time of a later one.
func (f fit) errorUntil(later fit) time.Duration {
	drift := math.Abs(later.milli - f.at(later.ref))
	return time.Duration(max(f.half, drift+later.half) * float64(time.Millisecond))
}
