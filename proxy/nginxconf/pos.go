package nginxconf

import "fmt"

// Pos is a place in a configuration file, line and column from 1. Columns
// count bytes.
type Pos struct {
	File      string
	Line, Col int
}

// String is file:line:col.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Problem is a mistake in a configuration. Text is nginx's own message where
// nginx has one; Hint, when there is one, says what was probably meant.
type Problem struct {
	Pos  Pos
	Text string
	Hint string
}

// String is file:line:col: text (hint).
func (p Problem) String() string {
	if p.Hint == "" {
		return p.Pos.String() + ": " + p.Text
	}
	return p.Pos.String() + ": " + p.Text + " (" + p.Hint + ")"
}

// maxProblems bounds a list of problems: whoever feeds junk needs no more.
const maxProblems = 100

// problems collects mistakes up to maxProblems.
type problems struct{ list []Problem }

func (p *problems) add(pos Pos, hint, format string, args ...any) {
	if p.full() {
		return
	}
	p.list = append(p.list, Problem{pos, fmt.Sprintf(format, args...), hint})
}

func (p *problems) full() bool { return len(p.list) >= maxProblems }

// all is the list, with a last word when it was cut.
func (p *problems) all() []Problem {
	if !p.full() {
		return p.list
	}
	last := p.list[len(p.list)-1]
	return append(p.list, Problem{last.Pos, "too many mistakes, giving up", ""})
}
