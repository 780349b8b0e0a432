package harness

import (
	"os"
	"path/filepath"

	"github.com/nolive/nolive/harness/scenario"
)

// Load reads a scenario file. The error lists all mistakes of the file, each as
// file:line:col: what is wrong.
func Load(path string) (*scenario.File, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, problems := scenario.Parse(path, src, os.DirFS(filepath.Dir(path)))
	return f, problems.Err()
}
