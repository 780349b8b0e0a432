package nginx

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Readings of a clock that is known: the fit says where it is within the error
// that it claims, and that error is no larger than the shortest round trip's.
func TestFitIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speed := rapid.SampledFrom([]float64{1, 2.5, 10, 30, 60, 100}).Draw(t, "speed")
		start := float64(rapid.Int64Range(1, 1e6).Draw(t, "start µs")) / 1000 // nginx's clock at ref, ms
		ref := time.Now()
		now := time.Duration(0)
		shortest := time.Duration(math.MaxInt64)
		var rs []reading
		for range rapid.IntRange(1, 60).Draw(t, "pings") {
			rtt := time.Duration(rapid.IntRange(1000, 3_000_000).Draw(t, "rtt ns"))
			took := time.Duration(float64(rtt) * rapid.Float64Range(0, 1).Draw(t, "when"))
			shortest = min(shortest, rtt)
			clock := start + float64(now+took)/float64(time.Millisecond)*speed
			rs = append(rs, reading{ref.Add(now), ref.Add(now + rtt), int64(clock)})
			now += rtt
		}
		f := fitReadings(rs, ref, speed)
		if off := math.Abs(f.milli - start); off > f.half+1e-3 {
			t.Fatalf("off by %v ms, claims %v", off, f.half)
		}
		if most := float64(shortest)/float64(time.Millisecond)*speed/2 + 0.5; f.half > most+1e-3 {
			t.Fatalf("claims %v ms, the shortest round trip says %v", f.half, most)
		}
		s := f.nextSecond(ref.Add(now), lead)
		if ahead := f.instant(float64(s) * 1000).Sub(ref.Add(now)); ahead < lead-time.Microsecond || ahead > lead+time.Duration(float64(time.Second)/speed)+time.Microsecond {
			t.Fatalf("the origin is %v ahead", ahead)
		}
	})
}

// A clock that was set between two readings leaves no point that fits all.
func TestFitOfASetClock(t *testing.T) {
	ref := time.Now()
	us := time.Microsecond
	f := fitReadings([]reading{
		{ref, ref.Add(400 * us), 1000},
		{ref.Add(500 * us), ref.Add(600 * us), 5000}, // the shortest
		{ref.Add(700 * us), ref.Add(1200 * us), 1001},
	}, ref, 1)
	if f.milli < 4999 || f.milli > 5001 || f.half <= 0 {
		t.Errorf("%+v", f)
	}
}

func TestClockError(t *testing.T) {
	ref := time.Now()
	a := fit{ref: ref, speed: 10, milli: 1000, half: 0.5}
	b := fit{ref: ref.Add(time.Second), speed: 10, milli: 11003, half: 0.25}
	if got, want := a.errorUntil(b), 3250*time.Microsecond; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := a.errorUntil(a), 500*time.Microsecond; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestParseMsec(t *testing.T) {
	if n, err := parseMsec("1893456000.678"); n != 1893456000678 || err != nil {
		t.Errorf("%v %v", n, err)
	}
	for _, s := range []string{"", "12", "12.5", "a.123", "-1.123", "1.12a", "1.1234"} {
		if n, err := parseMsec(s); err == nil {
			t.Errorf("%q: %v", s, n)
		}
	}
}
