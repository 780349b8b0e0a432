package harness_test

import (
	"testing"

	"github.com/nolive/nolive/harness"
)

// A handshake that fails does so before anything was sent, on every engine.
func TestHandshakes(t *testing.T) {
	t.Parallel()
	file, err := harness.Load("testdata/tls.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []harness.Engine{harness.Sim, harness.Reference} {
		for try := 1; ; try++ {
			r := run(t, harness.Runner{}, file.Scenarios[0], e)
			if !r.Valid() && try < 4 {
				continue
			}
			if !r.Valid() {
				t.Errorf("%s: %s", e, r.Invalid)
			}
			for _, v := range r.Verdicts {
				if !v.OK {
					t.Errorf("%s: %s: got %s", e, v.Check, v.Got)
				}
			}
			break
		}
	}
}
