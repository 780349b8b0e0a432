package harness_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/check"
)

// Judging the kept events again gives what was judged on the way, for every
// shipped scenario.
func TestJudgeAgain(t *testing.T) {
	for _, name := range []string{"frozen-backend-curl-loop", "one-request-locks-every-worker", "single-server-never-marked", "post-timeout-not-retried"} {
		for _, s := range shipped(t, name).Scenarios {
			r := run(t, harness.Runner{}, s, harness.Sim)
			if diff := cmp.Diff(r.Verdicts, harness.Judge(s, r.Events, r.End, s.Expect)); diff != "" {
				t.Errorf("%s: -on the way +again:\n%s", s.Title(), diff)
			}
		}
	}
}

func TestJudgeMore(t *testing.T) {
	s := parse(t, "x.yaml", refusing).Scenarios[0]
	r := run(t, harness.Runner{}, s, harness.Sim)
	if v := r.Judge(check.Marked{Backend: "app1:8080", Times: check.Exactly(1)}); !v.OK || v.Got != "1 (at 0.0s)" {
		t.Errorf("%+v", v)
	}
	v := r.Judge(check.Marked{Backend: "*", Times: check.Exactly(1)})
	if v.OK || v.Check != `marked: {backend: "*", times: 1}` || v.Kind != "marked" || v.Want != "1" {
		t.Errorf("%+v", v)
	}

	// What proves nothing is never OK, not even for a check that holds on no events.
	never := check.Marked{Backend: "app2:8080", Times: check.Exactly(0)}
	if v := r.Judge(never); !v.OK {
		t.Fatalf("%+v", v)
	}
	flat := run(t, harness.Runner{Keep: harness.KeepNothing}, s, harness.Sim)
	if v := flat.Judge(never); v.OK || v.Got != "the run's events were not kept" || v.Check != never.String() {
		t.Errorf("%+v", v)
	}
	r.Invalid = "sends were too late"
	if v := r.Judge(never); v.OK || v.Got != "the run is invalid: sends were too late" || r.OK() {
		t.Errorf("%+v", v)
	}
}
