package check

import "testing"

// What is accepted can be written and is accepted again, as the same.
func FuzzSpan(f *testing.F) {
	for _, s := range []string{"4", ">= 1", "> 0%", "2..4", "12%..21%", "60s..62s", "60s \u00b11s", "< 5s", "0%", "1e400", "..", "\u00b1", "9223372036854775807s", "%..%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, unit := range []Unit{Count, Percent, Seconds} {
			s, err := ParseSpan(text, unit)
			if err != nil {
				continue
			}
			if s.Lo > s.Hi || s.Lo == s.Hi && (s.LoOpen || s.HiOpen) || s.Lo < 0 {
				t.Fatalf("%q allows nothing: %+v", text, s)
			}
			again, err := ParseSpan(s.String(), unit)
			if err != nil || again.Has(s.Lo) != s.Has(s.Lo) && unit != Percent {
				t.Fatalf("%q is written %q: %+v, %v", text, s, again, err)
			}
			if twice := again.String(); twice != s.String() {
				t.Fatalf("%q is written %q and then %q", text, s, twice)
			}
		}
		if w, err := ParseWindow(text); err == nil {
			if again, err := ParseWindow(w.String()); err != nil || again != w {
				t.Fatalf("%q is written %q: %v, %v", text, w, again, err)
			}
		}
		if a, err := ParseAnswer(text); err == nil {
			if again, err := ParseAnswer(string(a)); err != nil || again != a {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}
