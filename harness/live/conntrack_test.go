package live

import (
	"os"
	"path/filepath"
	"testing"
)

// A setting that isn't there means that nothing is tracked.
func TestKernelSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "setting")
	if n := number(file); n != 0 {
		t.Errorf("a missing setting is %d", n)
	}
	if err := os.WriteFile(file, []byte("262144\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := number(file); n != 262144 {
		t.Errorf("read %d", n)
	}
}

func TestAFullTableProvesNothing(t *testing.T) {
	for _, c := range []struct {
		count, limit int
		speed        float64
		full, again  bool
	}{
		{0, 0, 30, false, false}, // nothing is tracked
		{200000, 262144, 30, false, false},
		{262000, 262144, 30, true, true},
		{262144, 262144, 1, true, false}, // nowhere slower to go
	} {
		got := untracked(c.count, c.limit, c.speed)
		if (got != nil) != c.full || got != nil && got.again != c.again {
			t.Errorf("%d of %d at speed %g: %v", c.count, c.limit, c.speed, got)
		}
	}
}
