package check

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// alike are 502s and 503s that a client can't tell apart.
const alike = `
	1 sent     r/1
	1 no_live  r/1   up=u
	1 answered r/1   status=502
	1 response r/1   outcome=passed status=502

	2 sent     r/2
	2 attempt  r/2#1 peer=a up=u
	2 ended    r/2#1 peer=a up=u outcome=refused
	2 no_live  r/2   up=u
	2 answered r/2   status=502
	2 response r/2   outcome=passed status=502

	3 sent     r/3
	3 attempt  r/3#1 peer=a up=u
	3 ended    r/3#1 peer=a up=u outcome=refused
	3 attempt  r/3#2 peer=b up=u
	3 ended    r/3#2 peer=b up=u outcome=reset status=502
	3 answered r/3   status=502
	3 response r/3   outcome=passed status=502

	4 sent     r/4
	4 attempt  r/4#1 peer=a up=u
	4 ended    r/4#1 peer=a up=u outcome=passed status=502
	4 answered r/4   status=502
	4 response r/4   outcome=passed status=502

	5 sent     r/5
	5 answered r/5   status=503
	5 response r/5   outcome=passed status=503

	6 sent     r/6
	6 no_live  r/6   up=u
	6 attempt  r/6#1 peer=c up=spare
	6 ended    r/6#1 peer=c up=spare outcome=passed status=502
	6 answered r/6   status=502
	6 response r/6   outcome=passed status=502

	7 sent     r/7
	7 no_live  r/7   up=u
	8 attempt  r/7#1 peer=c up=spare
	9 ended    r/7#1 peer=c up=spare outcome=closed status=502
	9 answered r/7   status=502
	9 response r/7   outcome=passed status=502

	10 sent     r/8
	10 attempt  r/8#1 peer=a up=u
	10 ended    r/8#1 peer=a up=u outcome=passed status=404
	10 answered r/8   status=503
	10 response r/8   outcome=passed status=503

	11 sent     r/9
	11 attempt  r/9#1 peer=a up=u
	11 ended    r/9#1 peer=a up=u outcome=passed status=200
	11 answered r/9   status=200
	11 response r/9   outcome=passed status=200
`

// A failed expectation tells errors of one status apart by who made them: in what was
// got by number, in the evidence by what came before each.
func TestErrorsTellTheirOrigin(t *testing.T) {
	for _, c := range []struct {
		check Check
		got   string
	}{
		{Status{Of: "r", Is: "5xx", Count: Exactly(0)}, "8 of 9 (2 by a backend itself, 2 by the proxy itself, 2 no live upstreams, 1 closed, 1 reset), and 1 x 200"},
		{Share{Of: "r", Status: "502", Is: Exactly(Pct(0))}, "6 of 9 (66.7%: 2 by a backend itself, 2 no live upstreams, 1 closed, 1 reset), and 2 x 503 (by the proxy itself), 1 x 200"},
		{Status{Of: "r", Is: "200"}, "1 of 9, and 6 x 502 (2 by a backend itself, 2 no live upstreams, 1 closed, 1 reset), 2 x 503 (by the proxy itself)"},
		{Status{Of: "r", Is: "5xx", Count: Exactly(8)}, "8 of 9, and 1 x 200"}, // holds
	} {
		if v := judged(t, c.check, alike); v.Got != c.got {
			t.Errorf("%s: %s, want %s", v.Check, v.Got, c.got)
		}
	}
	got := lines(judged(t, Status{Of: "r", Is: "200"}, alike).Evidence)
	if diff := cmp.Diff([]string{
		"1 response r/1 passed after_no_live_upstreams 502",
		"2 response r/2 passed after_a_refused,_no_live_upstreams 502",
		"3 response r/3 passed after_a_refused,_b_reset 502",
		"4 response r/4 passed by_a_itself 502",
		"5 response r/5 passed by_the_proxy_itself 503",
		"6 response r/6 passed by_c_itself 502",
		"9 response r/7 passed after_c_closed 502",
		"10 response r/8 passed after_a_passed,_by_the_proxy_itself 503",
	}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
