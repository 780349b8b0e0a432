package check

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseSpan(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		text string
		unit Unit
		want Span
	}{
		{"4", Count, Span{Lo: 4, Hi: 4}},
		{" 0 ", Count, Span{}},
		{">= 1", Count, Span{Lo: 1, Hi: inf}},
		{"≥1", Count, Span{Lo: 1, Hi: inf}},
		{"> 0%", Percent, Span{LoOpen: true, Hi: inf}},
		{"<= 3", Count, Span{Hi: 3}},
		{"≤ 3", Count, Span{Hi: 3}},
		{"< 5s", Seconds, Span{Hi: 5, HiOpen: true}},
		{"2..4", Count, Span{Lo: 2, Hi: 4}},
		{"12%..21%", Percent, Span{Lo: 0.12, Hi: 0.21}},
		{"12..21%", Percent, Span{Lo: 0.12, Hi: 0.21}},
		{"0%", Percent, Span{}},
		{"0.5%", Percent, Span{Lo: 0.005, Hi: 0.005}},
		{"60s..62s", Seconds, Span{Lo: 60, Hi: 62}},
		{"1m .. 1m30s", Seconds, Span{Lo: 60, Hi: 90}},
		{"250ms", Seconds, Span{Lo: 0.25, Hi: 0.25}},
		{"60s ±1s", Seconds, Span{Lo: 59, Hi: 61}},
		{"0.3s ± 0.1s", Seconds, Span{Lo: 0.2, Hi: 0.4}},
		{"60s +/- 500ms", Seconds, Span{Lo: 59.5, Hi: 60.5}},
		{"10 +- 2", Count, Span{Lo: 8, Hi: 12}},
		{"16% ±2%", Percent, Span{Lo: 0.14, Hi: 0.18}},
		{"1s ±5s", Seconds, Span{Lo: 0, Hi: 6}},
	} {
		c.want.Unit, c.want.Set = c.unit, true
		got, err := ParseSpan(c.text, c.unit)
		if err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.text, got, err, c.want)
		}
		var guessed Span
		if err := guessed.UnmarshalText([]byte(c.text)); err != nil || guessed != c.want {
			t.Errorf("%q without its unit: %+v, %v", c.text, guessed, err)
		}
	}
}

func TestParseSpanRefuses(t *testing.T) {
	for _, c := range []struct {
		text string
		unit Unit
		want string
	}{
		{"", Count, "nothing is written: want a count such as 4, a comparison or a range"},
		{"four", Count, `"four" is no number`},
		{"2.5", Count, `"2.5" is no whole number`},
		{"-1", Count, `"-1" is negative`},
		{"12%", Count, `"12%" is a share, want a count such as 4`},
		{"60s", Count, `"60s" is a duration, want a count such as 4`},
		{"5..2", Count, "5..2 is empty: write 2..5"},
		{"< 0", Count, `"< 0" allows nothing: write 0`},
		{">", Count, `"" is no number`},
		{"!= 3", Count, `"!= 3" is no number`},
		{"1..", Count, `"" is no number`},
		{"10 ±x", Count, `tolerance "x" is no number`},
		{"12", Percent, `"12" has no unit: write 12%`},
		{"300", Percent, `"300" is no share: 0% to 100% is possible`},
		{"300 ±20%", Percent, `"300 ±20%" has a tolerance of another unit: write 300 ±60`},
		{"50 ±20%", Percent, `"50 ±20%" has a tolerance of another unit: write 50 ±10, or 50% ±20% of a share`},
		{"12 ±3%", Percent, `"12 ±3%" has a tolerance of another unit: write 12% ±3% of a share`},
		{"60s ±10%", Percent, `"60s ±10%" has a tolerance of another unit: write 60s ±6s`},
		{"60x ±10%", Percent, `"60x" is no number`},
		{"60 ±x%", Percent, `"x%" is no share: write it as 12%`},
		{"112%", Percent, `"112%" is no share: 0% to 100% is possible`},
		{"x%", Percent, `"x%" is no share: write it as 12%`},
		{"NaN%", Percent, `"NaN%" is no share: write it as 12%`},
		{"> 100%", Percent, `"> 100%" allows nothing: no share is above 100%`},
		{"60", Seconds, `"60" has no unit: write 60s`},
		{"0", Seconds, `"0" has no unit: write 0s`},
		{"-1s", Seconds, `"-1s" is negative`},
		{"60 sec", Seconds, `"60 sec" is no duration: write it as 60s, 1m30s or 250ms`},
		{"12%", Seconds, `"12%" is no duration: write it as 60s, 1m30s or 250ms`},
		{"60s..1m", Seconds, ""},
		{"62s..60s", Seconds, "62s..60s is empty: write 60s..62s"},
		{"< 0s", Seconds, `"< 0s" allows nothing: write 0s`},
	} {
		_, err := ParseSpan(c.text, c.unit)
		if c.want == "" {
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestConstructorsSayWhatAScenarioSays(t *testing.T) {
	for text, got := range map[string]Span{
		"4":            Exactly(4),
		">= 1":         AtLeast(1),
		"<= 3":         AtMost(3),
		"> 0":          MoreThan(0),
		"> 0%":         MoreThan(Pct(0)),
		"< 5s":         LessThan(5 * time.Second),
		"2..4":         Between(2, 4),
		"12%..21%":     Between(Pct(12), Pct(21)),
		"60s ±1s":      Around(60*time.Second, time.Second),
		"16.5% ±0.3%":  Around(Pct(16.5), Pct(0.3)),
		"0%":           Exactly(Pct(0)),
		"250ms..1m30s": Between(250*time.Millisecond, 90*time.Second),
	} {
		want, err := ParseSpan(text, got.Unit)
		if err != nil || got != want {
			t.Errorf("%s: %+v, want %+v, %v", text, got, want, err)
		}
	}
}

// anySpan is any span that a scenario can say.
func anySpan(unit Unit) *rapid.Generator[Span] {
	return rapid.Custom(func(t *rapid.T) Span {
		number := func(name string) float64 {
			switch unit {
			case Percent:
				return float64(rapid.IntRange(0, 100_000).Draw(t, name)) / 1000 / 100
			case Seconds:
				return time.Duration(rapid.Int64Range(0, int64(30*time.Hour)).Draw(t, name)).Seconds()
			}
			return float64(rapid.IntRange(0, 1<<40).Draw(t, name))
		}
		a, b := number("a"), number("b")
		s := Span{Unit: unit, Set: true, Lo: min(a, b), Hi: max(a, b)}
		switch rapid.SampledFrom([]string{"exact", "range", ">=", ">", "<=", "<"}).Draw(t, "form") {
		case "exact":
			s.Hi = s.Lo
		case ">=":
			s.Hi = math.Inf(1)
		case ">":
			s.Hi, s.LoOpen = math.Inf(1), true
			if unit == Percent {
				s.Lo = min(s.Lo, 0.99)
			}
		case "<=":
			s.Lo = 0
		case "<":
			s.Lo, s.HiOpen = 0, true
			s.Hi = max(s.Hi, 0.25)
			if unit == Count {
				s.Hi = max(s.Hi, 1)
			}
		}
		if s.Unit == Count {
			s.Hi = math.Ceil(s.Hi)
		}
		return s
	})
}

// String and ParseSpan are inverses, and both mean the same set.
func TestSpanRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]Unit{Count, Percent, Seconds}).Draw(t, "unit")
		s := anySpan(unit).Draw(t, "span")
		got, err := ParseSpan(s.String(), unit)
		if err != nil || got != s {
			t.Fatalf("%+v is written %q and read as %+v, %v", s, s, got, err)
		}
		var guessed Span
		if err := guessed.UnmarshalText([]byte(s.String())); err != nil || guessed != s {
			t.Fatalf("%q without its unit is read as %+v, %v", s, guessed, err)
		}
	})
}

// Has is the definition of an interval, at its ends above all.
func TestSpanHas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpan(Count).Draw(t, "span")
		for _, v := range []float64{s.Lo - 1, s.Lo, s.Lo + 1, (s.Lo + s.Hi) / 2, s.Hi - 1, s.Hi, s.Hi + 1} {
			want := v >= s.Lo && v <= s.Hi && !(s.LoOpen && v == s.Lo) && !(s.HiOpen && v == s.Hi)
			if s.Has(v) != want {
				t.Fatalf("%s has %v: %v", s, v, s.Has(v))
			}
			if above := v > s.Lo && !want; s.Lo < s.Hi && s.above(v) != above {
				t.Fatalf("%v above %s: %v", v, s, s.above(v))
			}
		}
	})
}

func TestWindow(t *testing.T) {
	for text, want := range map[string]Window{
		"60s..120s":   {60 * time.Second, 120 * time.Second},
		"0s..10m":     {0, 10 * time.Minute},
		"60s..":       {60 * time.Second, 0},
		"1.5s .. 2s ": {1500 * time.Millisecond, 2 * time.Second},
	} {
		got, err := ParseWindow(text)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if again, err := ParseWindow(got.String()); err != nil || again != want {
			t.Errorf("%q is written as %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"60s":        `"60s" is no window: write it as 60s..120s`,
		"120s..60s":  "the window 120s..60s never opens",
		"60s..60s":   "the window 60s..60s never opens",
		"60..120":    `"60" has no unit: write 60s`,
		"0s..":       `"" is no duration: write it as 60s, 1m30s or 250ms`,
		"..60s":      `"" is no duration: write it as 60s, 1m30s or 250ms`,
		"-1s..60s":   `"-1s" is negative`,
		"sixty..61s": `"sixty" is no duration: write it as 60s, 1m30s or 250ms`,
	} {
		if _, err := ParseWindow(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	w := Window{time.Second, 2 * time.Second}
	if w.Has(999*time.Millisecond) || !w.Has(time.Second) || w.Has(2*time.Second) || !(Window{}).Has(time.Hour) || !(Window{From: 1}).Has(time.Hour) {
		t.Error("the ends of a window are wrong")
	}
}

func TestPercentForPeople(t *testing.T) {
	for want, v := range map[string]float64{
		"0.0%": 0, "16.7%": 503.0 / 3012, "0.00556%": 1.0 / 18000, "99.9944%": 17999.0 / 18000, "100.0%": 1, "1.0%": 0.01,
	} {
		if got := percent(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

func TestSecondsForPeople(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0.0s": 0, "60.0s": time.Minute, "170.1s": 170100 * time.Millisecond, "52.04s": 52040 * time.Millisecond,
		"0.02s": 20 * time.Millisecond, "350µs": 350 * time.Microsecond, "3.2ms": 3200 * time.Microsecond, "-1.5s": -1500 * time.Millisecond,
	} {
		if got := seconds(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
	for want, d := range map[string]time.Duration{
		"60s": time.Minute, "90.5s": 90500 * time.Millisecond, "10m": 10 * time.Minute, "1h": time.Hour, "1h30m": 90 * time.Minute, "10m5s": 605 * time.Second, "250ms": 250 * time.Millisecond,
	} {
		if got := written(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
