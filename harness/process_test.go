//go:build linux

package harness_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

func TestMain(m *testing.M) {
	backends.Child()
	os.Exit(m.Run())
}

// A proxy can't tell a frozen backend from one whose process is really stopped:
// the same requests end in the same way, and the same ones are read by it, also
// those whose clients left long before.
func TestProxyCantTellAFreezeFromAStop(t *testing.T) {
	t.Parallel()
	sameStop(t, harness.Reference)
}

// sameStop runs both forms on an engine and compares.
func sameStop(t *testing.T, e harness.Engine) {
	t.Helper()
	file, err := harness.Load("testdata/stopping.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var runs [2]*harness.Result
	for i, s := range file.Scenarios {
		if s.Backends[0].Process != (i == 1) {
			t.Fatal("the scenario doesn't say so")
		}
		for try := 1; ; try++ {
			r, err := harness.Run(t.Context(), s, e)
			if err != nil {
				t.Fatal(err)
			}
			if runs[i] = r; r.Valid() {
				break
			} else if try == 4 {
				t.Fatalf("%s: %s", s.Title(), r.Invalid)
			}
		}
	}
	for _, r := range runs {
		for i := range r.Events {
			// Whether the other backend's last answer was read by the next request is
			// a matter of milliseconds.
			r.Events[i].Cached = r.Events[i].Cached && r.Events[i].Peer == "app1:8080"
		}
	}
	for _, d := range harness.Compare(runs[0], runs[1]) {
		t.Errorf("in the process and as one differ: %v", d)
	}
	a, b := readBy(runs[0], "app1:8080"), readBy(runs[1], "app1:8080")
	if a != b {
		t.Errorf("in the process it read\n%s\nas one\n%s", a, b)
	}
	if !strings.Contains(a, "after") || !strings.Contains(a, "before") {
		t.Errorf("the freeze shows nowhere:\n%s", a)
	}
	t.Log(a)
}

// readBy is what a backend read before the end of its freeze and after it.
func readBy(r *harness.Result, backend string) string {
	var before, after []string
	for _, e := range r.Events {
		switch {
		case e.Kind != event.BackendGot || e.Peer != backend:
		case e.At < 2*time.Second+100*time.Millisecond:
			before = append(before, e.Request.String())
		case e.At < 9*time.Second:
			after = append(after, e.Request.String()+" DURING")
		default:
			after = append(after, e.Request.String())
		}
	}
	return sorted(before) + " before, " + sorted(after) + " after"
}

func sorted(words []string) string {
	seen := map[string]int{}
	for _, w := range words {
		seen[w]++
	}
	return fmt.Sprint(seen) // in order of the keys
}
