package bind

import "testing"

func TestNearest(t *testing.T) {
	keys := []string{"expect", "traffic", "backends", "proxy", "max_speed", "speed", "for"}
	for word, want := range map[string]string{
		"trafic":    "traffic",
		"Traffic":   "traffic",
		"backend":   "backends",
		"max-speed": "max_speed",
		"maxspeed":  "max_speed",
		"expcet":    "expect", // two letters swapped
		"fro":       "for",
		"from":      "", // half of it differs
		"mystery":   "",
		"":          "",
		"x":         "",
		"speeed":    "speed",
	} {
		if got := Nearest(word, keys); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abd", 1},
		{"kitten", "sitting", 3}, {"äöü", "äü", 1}, {"abcdef", "fedcba", 5},
	} {
		if got := distance([]rune(c.a), []rune(c.b), 100); got != c.want {
			t.Errorf("%s, %s: got %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance([]rune(c.b), []rune(c.a), 100); got != c.want {
			t.Errorf("%s, %s: got %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
