package nginx

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A folder that a killed run left goes with the next run; that of a living one, and
// one that tells nothing of its owner, stay.
func TestSweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	start := func() prefix {
		t.Helper()
		p, err := newPrefix("", "")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	there := func(p prefix) bool {
		_, err := os.Stat(p.dir)
		return !errors.Is(err, os.ErrNotExist)
	}
	living, killed := start(), start()
	unknown := prefix{dir: filepath.Join(os.TempDir(), folderPrefix+"unknown")}
	if err := os.Mkdir(unknown.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if !there(killed) || !there(living) {
		t.Fatal("one took another's folder")
	}
	killed.lock.Close() // as the kernel does when its owner dies
	next := start()
	if there(killed) || !there(living) || !there(unknown) {
		t.Errorf("there: killed %v, living %v, unknown %v", there(killed), there(living), there(unknown))
	}
	for _, p := range []prefix{next, living} {
		if err := p.remove(); err != nil || there(p) {
			t.Errorf("%v, there: %v", err, there(p))
		}
	}
}
