package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

// load reads scenario files, or the shipped library when none is named. All
// mistakes of all files are reported together, beside the files without any.
func load(names []string) ([]*scenario.File, error) {
	if len(names) == 0 {
		names = scenarios.Names()
	}
	var files []*scenario.File
	var wrong mistakes
	for _, name := range names {
		f, err := open(name)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		files = append(files, f)
	}
	if len(wrong) > 0 {
		return files, wrong
	}
	return files, nil
}

// open reads one scenario: a file, or a shipped one by its name.
func open(name string) (*scenario.File, error) {
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, `./\`) {
		src, ok := scenarios.Source(name)
		if !ok {
			return nil, fmt.Errorf("%s: no such file, and no shipped scenario has that name (%s)", name, hint(name))
		}
		f, problems := scenario.Parse(name+".yaml", src, scenarios.FS)
		return f, problems.Err()
	}
	return harness.Load(name)
}

// hint is the way out when no shipped scenario has a name.
func hint(name string) string {
	if meant := like(name, scenarios.Names()); meant != "" {
		return "did you mean " + meant + "?"
	}
	return "nolive list shows them"
}

// like is the name that was probably meant: nearly the same, or beginning so;
// "" for none.
func like(name string, names []string) string {
	if near := scenario.Nearest(name, names); near != "" {
		return near
	}
	for _, n := range names {
		if strings.HasPrefix(n, name) {
			return n
		}
	}
	return ""
}
