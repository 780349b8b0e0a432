package harness

import "github.com/nolive/nolive/harness/scenario"

// Load reads a scenario file. The error, scenario.Problems, lists all mistakes
// of the file, each as file:line:col: what is wrong.
func Load(path string) (*scenario.File, error) {
	f, problems := scenario.LoadFile(path, nil)
	return f, problems.Err()
}
