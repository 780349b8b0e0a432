package harness_test

import (
	"testing"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

// An hour of several requests a second, sped up, is a crowd; so isn't a loop of curl,
// however long it takes, nor a burst that is over in a second.
func TestCrowd(t *testing.T) {
	for name, want := range map[string]bool{
		"slow-report": true, "frozen-backend-curl-loop": false, "flaky-pair": false, "http-500-not-counted": false,
	} {
		src, _ := scenarios.Source(name)
		f, problems := scenario.Parse(name+".yaml", src, scenarios.FS)
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		if got := harness.Crowd(f.Scenarios[0]); got != want {
			t.Errorf("%s: a crowd %v, want %v", name, got, want)
		}
	}
}
