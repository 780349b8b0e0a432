package harness_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nolive/nolive/harness"
)

// The scenario that the README has people write in five minutes is one, and holds.
func TestReadmeScenario(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```yaml\n")
	src, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("there is no scenario in the README")
	}
	f := parse(t, "refuse.yaml", src)
	if len(f.Warnings) > 0 {
		t.Error(f.Warnings)
	}
	r := run(t, harness.Runner{}, f.Scenarios[0], harness.Sim)
	for _, v := range r.Verdicts {
		if !v.OK {
			t.Errorf("%s: want %s, got %s", v.Check, v.Want, v.Got)
		}
	}
}
