package catalogue_test

import (
	"testing"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios/catalogue"
)

// The simulator and the reference proxy see the same in every example.
func TestSimAndReferenceAgreeOnTheCatalogue(t *testing.T) {
	f, problems := scenario.Parse("catalogue.yaml", []byte(catalogue.Scenario(catalogue.Entries())), nil)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	want, err := harness.Run(t.Context(), f.Scenarios[0], harness.Sim)
	if err != nil {
		t.Fatal(err)
	}
	for try := 1; ; try++ {
		got, err := harness.Run(t.Context(), f.Scenarios[0], harness.Reference)
		if err != nil {
			t.Fatal(err)
		}
		var differences []harness.Difference
		for _, d := range harness.Compare(want, got) {
			if (catalogue.Entry{Name: d.Request.Traffic}).Race() == "" {
				differences = append(differences, d)
			}
		}
		switch {
		case len(got.Invalid) == 0 && len(differences) == 0:
			return
		case len(got.Invalid) == 0:
			for _, d := range differences {
				t.Error(d)
			}
			return
		case try == 5:
			t.Fatalf("no valid run: %v", got.Invalid)
		}
	}
}
