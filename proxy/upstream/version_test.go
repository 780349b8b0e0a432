package upstream_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/proxy/upstream"
)

func version(t testing.TB, s string) upstream.Version {
	t.Helper()
	v, err := upstream.ParseVersion(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A branch without a third number is its last version, and the zero value the
// newest stable one.
func TestVersionsInOrder(t *testing.T) {
	for _, c := range []struct {
		v         string
		keeps     bool
		forgives  bool
		countDown bool
	}{
		{"1.9.13", false, true, true}, {"1.11.4", false, true, true}, {"1.11.5", false, false, true}, {"1.11", false, false, true},
		{"1.19.5", false, false, true}, {"1.19.6", false, false, false}, {"1.22", false, false, false},
		{"1.29.6", false, false, false}, {"1.29.7", true, false, false}, {"1.29", true, false, false}, {"2.0", true, false, false},
	} {
		v := version(t, c.v)
		if v.KeepsByDefault() != c.keeps || v.ForgivesWhenNoneIsLive() != c.forgives || v.CountsDown() != c.countDown {
			t.Errorf("%s: keeps %v, forgives %v, counts down %v", c.v, v.KeepsByDefault(), v.ForgivesWhenNoneIsLive(), v.CountsDown())
		}
		if v.String() != c.v {
			t.Errorf("%s is written %s", c.v, v)
		}
	}
	if d := upstream.Stable.Differences(upstream.Version{}); d != nil || (upstream.Version{}).String() != "1.30.4" {
		t.Errorf("the zero value is %s: %v", upstream.Version{}, d)
	}
}

func TestNoVersions(t *testing.T) {
	for s, want := range map[string]string{
		"":        `want a version of nginx such as 1.22 or 1.22.1, got ""`,
		"1":       `want a version of nginx such as 1.22 or 1.22.1, got "1"`,
		"1.22.x":  `want a version of nginx such as 1.22 or 1.22.1, got "1.22.x"`,
		"1.+2":    `want a version of nginx such as 1.22 or 1.22.1, got "1.+2"`,
		"1.2.3.4": `want a version of nginx such as 1.22 or 1.22.1, got "1.2.3.4"`,
		"1.9.9":   "1.9.9 is older than 1.9.10, the oldest that is modelled",
		"0.8.55":  "0.8.55 is older than 1.9.10, the oldest that is modelled",
	} {
		if v, err := upstream.ParseVersion(s); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, %v, want %s", s, v, err, want)
		}
	}
}

// What one version does and another doesn't, in words.
func TestDifferences(t *testing.T) {
	got := version(t, "1.10").Differences(version(t, "1.22.1"))
	want := []string{
		"only 1.10 forgets failures when no peer is live",
		"only 1.10 notes a listed 503 as 502",
		"only 1.10 counts a listed status before it asks whether it may go on",
		"only 1.10 counts servers that are down as tries",
		"only 1.22.1 refuses odd names of headers",
		"only 1.22.1 revives a server of stream at its connect",
		"only 1.22.1 limits how long connections idle",
		"only 1.22.1 limits the age of connections",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want -, got +\n%s", d)
	}
	if d := version(t, "1.22.1").Differences(version(t, "1.22")); d != nil {
		t.Errorf("one branch differs: %s", strings.Join(d, "; "))
	}
}

// How often and how long a connection may be used without a directive.
func TestKeepaliveDefaultsOfVersions(t *testing.T) {
	for _, c := range []struct {
		v         string
		requests  int // the first number of exchanges that is too many, 0 for none
		idle, age bool
	}{
		{"1.15.2", 0, false, false}, {"1.15.3", 100, true, false}, {"1.19.9", 100, true, false}, {"1.19.10", 1000, true, true},
	} {
		block := upstream.Config{Keepalive: upstream.KeepaliveConfig{Connections: 1}, Version: version(t, c.v)}
		stored := func(s upstream.Served, at time.Duration) bool { return upstream.NewCache(block).Store(s, at) == 0 }
		for _, n := range []int{99, 100, 999, 1000, 1 << 40} {
			want := c.requests == 0 || n < c.requests
			if stored(upstream.Served{Conn: 1, Requests: n}, 0) != want {
				t.Errorf("%s: kept after %d exchanges: %v", c.v, n, !want)
			}
		}
		if old := stored(upstream.Served{Conn: 1, Requests: 1}, 2*time.Hour); old == c.age {
			t.Errorf("%s: kept when two hours old: %v", c.v, old)
		}
		if limited := upstream.NewCache(block).Timeout() == time.Minute; limited != c.idle {
			t.Errorf("%s: idles for %v at most", c.v, upstream.NewCache(block).Timeout())
		}
	}
}
