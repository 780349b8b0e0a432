package fault_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nolive/nolive/backends/fault"
)

func TestRulesThatCantBeMeant(t *testing.T) {
	freeze := meaning(t, &fault.FreezeSpec{})
	accept := meaning(t, &fault.CloseSpec{CutSpec: fault.CutSpec{At: "accept"}})
	status := meaning(t, &fault.StatusSpec{Code: 500})
	reuse := meaning(t, &fault.CloseOnReuseSpec{})
	for _, c := range []struct {
		when fault.When
		do   fault.Fault
		want string
	}{
		{fault.When{From: 1, Until: 2}, freeze, ""},
		{fault.When{Path: "/x"}, freeze, "path: freeze acts on the backend as a whole, so only from and until can select it"},
		{fault.When{Share: .5}, freeze, "share: freeze acts on the backend as a whole, so only from and until can select it"},
		{fault.When{From: 1, Connection: fault.Range{From: 1}, Share: .5}, accept, ""},
		{fault.When{Method: "GET"}, accept, "method: a cut at accept comes before any request is read, so only from, until, connection and share can select it"},
		{fault.When{Exchange: fault.Range{From: 1}}, accept, "exchange: a cut at accept comes before any request is read, so only from, until, connection and share can select it"},
		{fault.When{Until: 5, Connection: fault.Range{From: 1}, Exchange: fault.Range{From: 2, To: 3}, Share: .5}, reuse, ""},
		{fault.When{Method: "GET"}, reuse, "method: close_on_reuse comes before the request is read, so only from, until, connection, exchange and share can select it"},
		{fault.When{Exchange: fault.Range{From: 1, To: 1}}, reuse, "exchange: the first request of a connection doesn't reuse it"},
		{fault.When{Path: "/*", Every: 3, Share: .5}, status, ""},
		{fault.When{From: 5 * time.Second, Until: 5 * time.Second}, status, "until: the window from 5s to 5s never opens"},
		{fault.When{From: -1}, status, "from: -1ns is not in 0s..8760h0m0s"},
		{fault.When{Path: "reports"}, status, `path: "reports" begins with neither / nor *, so it matches nothing`},
		{fault.When{Path: "/a?b=*"}, status, `path: "/a?b=*" has a query, which isn't compared`},
		{fault.When{Request: fault.Range{From: 3, To: 2}}, status, "request: 3..2 holds no number from 1 on"},
		{fault.When{Repeats: 5}, status, "repeats: how long does the window stay open? say lasts too"},
		{fault.When{Lasts: 5, Repeats: 5}, status, "lasts: a window that repeats every 5ns and lasts 5ns never closes"},
		{fault.When{Lasts: -1}, status, "lasts: -1ns is not in 0s..8760h0m0s"},
		{fault.When{Lasts: 5, Repeats: 7}, status, ""},
		{fault.When{Lasts: 5, Repeats: 7}, freeze, "until: freeze that repeats needs an end"},
		{fault.When{Lasts: 5, Repeats: 7, Until: time.Second}, freeze, "repeats: freeze would come more than 10000 times"},
		{fault.When{Lasts: 5, Repeats: 7, Until: 7000}, freeze, ""},
		{fault.When{Every: -1}, status, "every: -1 is less than 1"},
		{fault.When{Every: 5, Request: fault.Range{From: 6, To: 9}}, status, "every: no 5-th request lies in 6..9"},
		{fault.When{Every: 5, Request: fault.Range{To: 4}}, status, "every: no 5-th request lies in 0..4"},
		{fault.When{Every: 5, Request: fault.Range{From: 6, To: 10}}, status, ""},
		{fault.When{Share: 1}, status, "share: 1 is not between 0 and 1"},
		{fault.When{Until: -1}, status, "until: -1ns is not in 0s..8760h0m0s"},
		{fault.When{Lasts: 1, Repeats: -1}, status, "repeats: -1ns is not in 0s..8760h0m0s"},
		{fault.When{Connection: fault.Range{From: 3, To: 2}}, status, "connection: 3..2 holds no number from 1 on"},
		{fault.When{Exchange: fault.Range{From: -1}}, status, "exchange: -1..0 holds no number from 1 on"},
		{fault.When{Path: "*.pdf"}, status, ""},
		{fault.When{From: 1}, meaning(t, &fault.ConnectionsSpec{Max: 1}), "from: connections holds for good, so nothing can select it"},
		{fault.When{Until: 1}, meaning(t, &fault.ConnectionsSpec{Max: 1}), "from: connections holds for good, so nothing can select it"},
		{fault.When{Lasts: 1}, meaning(t, &fault.ConnectionsSpec{Max: 1}), "from: connections holds for good, so nothing can select it"},
		{fault.When{Lasts: 1, Repeats: 2, Until: 20_001}, freeze, ""},
		{fault.When{Lasts: 1, Repeats: 2, Until: 20_002}, freeze, "repeats: freeze would come more than 10000 times"},
		{fault.When{}, fault.Fault{Script: fault.Script{Name: "x", Steps: []fault.Step{{Op: fault.Wait, For: -1}, {Op: fault.Close}}}}, "x: a step goes back in time"},
		{fault.When{}, fault.Fault{Script: fault.Script{Name: "x", Steps: []fault.Step{{Op: fault.Write, Len: -1, Chunk: -1}, {Op: fault.Close}}}}, "x: a step goes back in time"},
		{fault.When{}, fault.Fault{Script: fault.Script{Name: "x", Steps: []fault.Step{{Op: fault.ReadBody, Len: -1}, {Op: fault.Close}}}}, "x: a step goes back in time"},
		{fault.When{Header: map[string]string{"a b": ""}}, status, `header: "a b" is no header name`},
		{fault.When{}, meaning(t, &fault.WaitSpec{Latency: fault.Latency{For: 1}}), "wait: nothing answers the request; end with an answer, a hang, a reset or a close"},
		{fault.When{}, fault.Fault{Script: fault.Script{Name: "x", Steps: []fault.Step{{Op: fault.Close}, {Op: fault.Wait}}}}, "x: nothing can follow the end of the connection"},
	} {
		r := fault.Rule{When: c.when, Do: c.do}
		if err := r.Validate(); text(err) != c.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.when, text(err), c.want)
		}
	}
	for _, k := range fault.Kinds() {
		if f, err := k.New().Fault(); err == nil {
			if err := (&fault.Rule{Do: f}).Validate(); err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
		}
	}
}

func TestWhen(t *testing.T) {
	x := fault.Exchange{Method: "GET", Path: "/reports/2024/may?x=1", At: 5 * time.Second, Request: 10, Connection: 4, Exchange: 2,
		Header: func(n string) string { return map[string]string{"Accept": "text/html?", "X-A": "b/c"}[n] },
		Draw:   func(rule int) float64 { return float64(rule) / 10 }}
	for _, c := range []struct {
		when  fault.When
		index int
		want  bool
	}{
		{fault.When{}, 0, true},
		{fault.When{Method: "get"}, 0, false},
		{fault.When{Method: "GET", Path: "/reports/*"}, 0, true},
		{fault.When{Path: "/reports/*/may"}, 0, true},
		{fault.When{Path: "/*/may"}, 0, false},
		{fault.When{Path: "/reports/2024/may"}, 0, true},
		{fault.When{From: 5 * time.Second}, 0, true},
		{fault.When{Until: 5 * time.Second}, 0, false},
		{fault.When{From: 1 * time.Second, Lasts: 4 * time.Second}, 0, false},
		{fault.When{From: 1 * time.Second, Lasts: 5 * time.Second}, 0, true},
		{fault.When{Lasts: 1 * time.Second, Repeats: 5 * time.Second}, 0, true},
		{fault.When{Lasts: 1 * time.Second, Repeats: 4 * time.Second}, 0, false},
		{fault.When{Lasts: 1 * time.Second, Repeats: 5 * time.Second, Until: 5 * time.Second}, 0, false},
		{fault.When{Request: fault.Range{From: 10, To: 10}}, 0, true},
		{fault.When{Request: fault.Range{From: 11}}, 0, false},
		{fault.When{Request: fault.Range{To: 9}}, 0, false},
		{fault.When{Every: 5}, 0, true},
		{fault.When{Every: 3}, 0, false},
		{fault.When{Connection: fault.Range{From: 1, To: 3}}, 0, false},
		{fault.When{Exchange: fault.Range{From: 2}}, 0, true},
		{fault.When{Header: map[string]string{"Accept": "text/html?"}}, 0, true},
		{fault.When{Header: map[string]string{"Accept": "text/*"}}, 0, true},
		{fault.When{Header: map[string]string{"X-A": "*c"}}, 0, true},
		{fault.When{Header: map[string]string{"X-A": "*c", "X-B": "*"}}, 0, false},
		{fault.When{Header: map[string]string{"X-B": ""}}, 0, true},
		{fault.When{Header: map[string]string{"X-A": ""}}, 0, false},
		{fault.When{Share: .25}, 2, true},
		{fault.When{Share: .25}, 3, false},
	} {
		if got := c.when.Matches(&x, c.index); got != c.want {
			t.Errorf("%+v as rule %d: got %v", c.when, c.index, got)
		}
	}
}

// The glob agrees with the obvious recursive one.
func TestGlobHasADumbTwin(t *testing.T) {
	var twin func(glob, s string, path bool) bool
	twin = func(glob, s string, path bool) bool {
		switch {
		case glob == "":
			return s == ""
		case glob[0] != '*':
			return s != "" && s[0] == glob[0] && twin(glob[1:], s[1:], path)
		}
		for i := 0; ; i++ {
			if twin(glob[1:], s[i:], path) || len(glob) == 1 {
				return true
			}
			if i == len(s) || path && s[i] == '/' {
				return false
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		glob := rapid.StringOfN(rapid.RuneFrom([]rune("ab/*")), 0, 8, -1).Draw(t, "glob")
		s := rapid.StringOfN(rapid.RuneFrom([]rune("ab/")), 0, 10, -1).Draw(t, "s")
		// A pattern of several stars in a row is nothing that the two have to agree on.
		for strings.Contains(glob, "**") {
			glob = strings.ReplaceAll(glob, "**", "*")
		}
		if got, want := fault.MatchPath(glob, s), twin(glob, s, true); got != want {
			t.Fatalf("path: got %v, want %v", got, want)
		}
		if got, want := fault.MatchText(glob, s), twin(glob, s, false); got != want {
			t.Fatalf("text: got %v, want %v", got, want)
		}
	})
}

func TestFirstRuleOfEachLayerWins(t *testing.T) {
	status := func(code int) fault.Fault { return meaning(t, &fault.StatusSpec{Code: code}) }
	rules := fault.Rules{
		{When: fault.When{Path: "/a"}, Do: status(501)},
		{When: fault.When{Until: 10}, Do: meaning(t, &fault.FreezeSpec{})},
		{When: fault.When{From: 5, Until: 20}, Do: meaning(t, &fault.RefuseSpec{})},
		{When: fault.When{Connection: fault.Range{From: 2, To: 2}}, Do: meaning(t, &fault.ResetSpec{CutSpec: fault.CutSpec{At: "accept", RespondSpec: fault.RespondSpec{After: fault.For(7)}}})},
		{Do: status(502)},
		{Do: status(503)},
	}
	for path, want := range map[string]int{"/a": 501, "/b": 502} {
		if f := rules.Pick(&fault.Exchange{Path: path}); f.Script.Response.Status != want {
			t.Errorf("%s: got %d, want %d", path, f.Script.Response.Status, want)
		}
	}
	if f := rules.PickAtAccept(&fault.Exchange{Connection: 2}); f == nil || f.AtAccept != fault.Reset || f.AcceptAfter != 7 {
		t.Errorf("connection 2: got %v, want a reset after 7 ns", f)
	}
	if f := rules.PickAtAccept(&fault.Exchange{Connection: 1}); f != nil {
		t.Errorf("connection 1: got %d, want nothing", f.AtAccept)
	}
	if f := (fault.Rules{}).Pick(nil); string(f.Script.Response.Append(nil, 0, 1000)) != "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK\n" {
		t.Errorf("healthy is %+v", f)
	}
	// Overlapping windows: the freeze, then what is left of the refusal.
	want := []fault.DoorChange{{0, fault.Frozen}, {10, fault.Refusing}, {20, fault.Open}}
	got := rules.DoorChanges()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("change %d: got %v, want %v", i, got[i], want[i])
		}
	}
}
