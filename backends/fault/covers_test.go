package fault_test

import (
	"testing"
	"time"

	. "github.com/nolive/nolive/backends/fault"
)

func TestCovers(t *testing.T) {
	second := time.Second
	for _, c := range []struct {
		w, o When
		want bool
	}{
		{When{}, When{}, true},
		{When{}, When{Path: "/a", From: second, Share: .5, Every: 3}, true},
		{When{Path: "/a"}, When{}, false},
		{When{Path: "/a"}, When{Path: "/a", Method: "GET"}, true},
		{When{Method: "GET"}, When{Method: "GET", Path: "/a"}, true},
		{When{Method: "GET"}, When{Method: "POST"}, false},
		{When{Method: "GET"}, When{}, false},
		{When{Path: "/a*"}, When{Path: "/a*"}, true},
		{When{Path: "/a*"}, When{Path: "/ab"}, true},
		{When{Path: "/a*"}, When{Path: "/b"}, false},
		{When{Path: "/a/*/b"}, When{Path: "/a/*"}, false},
		{When{Path: "/*"}, When{}, false},
		{When{From: second}, When{}, false},
		{When{From: second}, When{From: 2 * second}, true},
		{When{Until: 2 * second}, When{From: second, Until: 2 * second}, true},
		{When{Until: 2 * second}, When{From: second}, false},
		{When{Until: 2 * second}, When{Until: 3 * second}, false},
		{When{Header: map[string]string{"A": "*"}}, When{Header: map[string]string{"A": "*"}}, true},
		{When{Header: map[string]string{"A": "*"}}, When{Header: map[string]string{"B": "*"}}, false},
		{When{Request: Range{1, 5}}, When{Request: Range{2, 3}}, true},
		{When{Request: Range{1, 5}}, When{Request: Range{2, 0}}, false},
		{When{Request: Range{2, 0}}, When{Request: Range{3, 9}}, true},
		{When{Request: Range{2, 0}}, When{}, false},
		{When{Request: Range{1, 0}}, When{}, true},
		{When{Every: 2}, When{Every: 4}, true},
		{When{Every: 2}, When{Every: 3}, false},
		{When{Every: 2}, When{}, false},
		{When{Every: 1}, When{}, true},
		{When{Connection: Range{1, 1}}, When{Connection: Range{1, 1}}, true},
		{When{Exchange: Range{1, 1}}, When{}, false},
		{When{Share: .5}, When{Share: .5}, false}, // another rule draws another number
	} {
		if got := c.w.Covers(&c.o); got != c.want {
			t.Errorf("%+v covers %+v: got %v", c.w, c.o, got)
		}
	}
}

func TestShadowed(t *testing.T) {
	freeze, cut, ok := Fault{Door: Frozen}, Fault{AtAccept: Close}, Fault{Script: Respond(RespondSpec{})}
	rules := Rules{
		{Do: ok}, {Do: freeze}, {Do: cut}, // one in each layer
		{When: When{Path: "/a"}, Do: ok}, {When: When{From: time.Second}, Do: freeze}, {When: When{Share: .5}, Do: cut},
	}
	for i, want := range []int{-1, -1, -1, 0, 1, 2} {
		if got := rules.Shadowed(i); got != want {
			t.Errorf("rule %d: got %d, want %d", i, got, want)
		}
	}
}
