package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// Requests may end in any order, the list is that of their numbers.
func TestSequenceIsInOrderOfNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var peers []string
		for n := range 30 {
			peers = append(peers, string(rune('a'+n%26)), "x")
		}
		wrong := slices.Clone(peers)
		at := rapid.IntRange(0, len(peers)-1).Draw(t, "wrong at")
		wrong[at] = "wrong"
		right, left, short := Sequence{Of: "r", Peers: peers}.Start(), Sequence{Of: "r", Peers: wrong}.Start(), Sequence{Of: "r", Peers: peers[:5]}.Start()
		for _, n := range rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29}).Draw(t, "order") {
			x := &analysis.Exchange{Request: event.Request{Traffic: "r", N: n + 1}, Attempts: []analysis.Attempt{{Peer: peers[2*n]}, {Peer: "x"}}}
			right.Exchange(x)
			left.Exchange(x)
			short.Exchange(x)
		}
		if v := right.Verdict(Run{}); !v.OK {
			t.Fatalf("%+v", v)
		}
		if v := left.Verdict(Run{}); v.OK || v.Evidence[0].Request.N != at/2+1 || !strings.HasSuffix(v.Got, fmt.Sprintf("(entry %d differs)", at+1)) {
			t.Fatalf("wrong at %d: %+v", at, v)
		}
		if v := short.Verdict(Run{}); v.OK || v.Got != "[a, x, b, x, c, x, d, x, ...] (entry 6 differs)" {
			t.Fatalf("short: %+v", v)
		}
	})
}

// "*" is every backend of the configuration and every one that was met.
func TestEveryBackend(t *testing.T) {
	for _, c := range []struct {
		backends []string
		ok       bool
		got      string
	}{
		{[]string{"a"}, true, "a: 1 (at 1.0s)"},
		{[]string{"a", "c"}, false, "c: 0 (1 of 2 backends)"},
		{nil, true, "a: 1 (at 1.0s)"},
	} {
		j := Marked{Backend: Every}.Start()
		j.Exchange(&analysis.Exchange{Request: event.Request{Traffic: "r", N: 1}, Outcome: event.Passed})
		j.Mark(analysis.Mark{At: time.Second, Peer: "a"})
		if v := j.Verdict(Run{Backends: c.backends}); v.OK != c.ok || v.Got != c.got {
			t.Errorf("%v: %+v", c.backends, v)
		}
	}
	j := Marked{Backend: Every, Times: Exactly(0)}.Start()
	j.Exchange(&analysis.Exchange{Request: event.Request{Traffic: "r", N: 1}, Outcome: event.Passed})
	if v := j.Verdict(Run{}); v.OK || v.Got != "there is no backend" {
		t.Errorf("%+v", v)
	}
}

// No run without a request satisfies anything.
func TestNothingHoldsForAnEmptyRun(t *testing.T) {
	seen := map[string]bool{}
	for _, text := range []string{
		"status: {of: r, is: 200}", "status: {of: r, is: 200, count: 0}", "share: {of: r, status: 502, is: 0%}", "fan_out: {of: r, each: 1}",
		"attempts: {backend: a, count: 0}", "attempts: {of: r, count: 0}", "marked: {backend: a, times: 0}", `marked: {backend: "*", times: 0}`,
		"out: {backend: a, times: 0}", "in_rotation: {backend: a}", "slow: {of: r, over: 1s, count: 0}", "latency: {of: r, max: 0s}",
		"sequence: {of: r, status: [200]}", "log: {contains: x, count: 0}", "duplicates: {of: r, count: 0}", "truncated: {of: r, count: 0}",
		"reused: {of: r, count: 0}", "reused: {backend: a, count: 0}",
	} {
		def := decoded(t, text)
		seen[def.Kind()] = true
		v := judged(t, def, "1 log detail=started")
		if v.OK || !strings.HasPrefix(v.Got, "no request") || v.Evidence != nil {
			t.Errorf("%s: %+v", text, v)
		}
	}
	for _, k := range Kinds() {
		if !seen[k.Name] {
			t.Errorf("no empty run for %s", k.Name)
		}
	}
}

func TestKindsAreSortedAndNamedAsTheySay(t *testing.T) {
	kinds := Kinds()
	if !slices.IsSortedFunc(kinds, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted")
	}
	for _, k := range kinds {
		if got := k.New().Kind(); got != k.Name || k.About == "" {
			t.Errorf("%s is of kind %s", k.Name, got)
		}
	}
}
