package scenario

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// Problem is one mistake in a scenario file, or in a configuration that it names.
type Problem struct {
	// Pos is the place; columns count bytes. Line 0 is the file as a whole, when
	// it can't be read.
	Pos nginxconf.Pos
	// Text says what is wrong.
	Text string
	// Hint says what was probably meant, "" when nothing comes near.
	Hint string
	// Variant is the variant that has the mistake when the base scenario hasn't.
	Variant string
}

// String is "file:line:col: what is wrong (did you mean ...?)".
func (p Problem) String() string { return p.as("") }

// Warning is the same of what is allowed: "file:line:col: warning: ...".
func (p Problem) Warning() string { return p.as("warning: ") }

func (p Problem) as(word string) string {
	var b strings.Builder
	if p.Pos.Line > 0 {
		b.WriteString(p.Pos.String())
	} else {
		b.WriteString(p.Pos.File)
	}
	b.WriteString(": " + word)
	if p.Variant != "" {
		b.WriteString("in variant " + p.Variant + ": ")
	}
	b.WriteString(p.Text)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// Problems are all mistakes of a file, sorted by position: those in the scenario
// file itself first, then those in the files it names.
type Problems []Problem

// Error is one problem a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the problems as an error, nil when there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// sort orders problems by position and drops repeated ones; main is the
// scenario's own file.
func (ps Problems) sort(main string) Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(elsewhere(a, main), elsewhere(b, main)),
			cmp.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.Variant, b.Variant),
		)
	})
	return slices.Compact(ps)
}

func elsewhere(p Problem, main string) int {
	if p.Pos.File == main {
		return 0
	}
	return 1
}
