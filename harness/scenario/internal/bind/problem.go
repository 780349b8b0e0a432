package bind

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// Problem is one mistake at a place in the YAML text, line and column from 1.
type Problem struct {
	Line, Col int
	// Text says what is wrong.
	Text string
	// Hint is what was probably meant, "" when nothing comes near.
	Hint string
}

// MaxProblems is how many mistakes of one file are kept. A file with more is
// something else than a scenario, and nobody reads the rest.
const MaxProblems = 100

// Problems collects mistakes, at most MaxProblems, each once.
type Problems struct {
	list []Problem
	seen map[Problem]bool
	more bool
}

// Add notes a mistake.
func (p *Problems) Add(q Problem) {
	switch {
	case p.seen[q]:
	case len(p.list) >= MaxProblems:
		p.more = true
	default:
		if p.seen == nil {
			p.seen = map[Problem]bool{}
		}
		p.seen[q] = true
		p.list = append(p.list, q)
	}
}

// List returns the mistakes in the order in which they were found.
func (p *Problems) List() []Problem { return p.list }

// More says whether there were more than were kept.
func (p *Problems) More() bool { return p.more }

// quote shows a piece of the user's text, shortened.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return fmt.Sprintf("%q", s)
}

// At returns the mistakes noted at a node so far.
func (p *Problems) At(n *yaml.Node) []Problem {
	var out []Problem
	for _, q := range p.list {
		if q.Line == n.Line && q.Col == n.Column {
			out = append(out, q)
		}
	}
	return out
}

// Within says whether a mistake was noted at any key or value below a mapping.
func (p *Problems) Within(n *yaml.Node) bool {
	for _, c := range n.Content {
		if len(p.At(c)) > 0 || p.Within(c) {
			return true
		}
	}
	return false
}

// Hinted returns what the keys of a mapping were probably meant to be, for
// those that were reported.
func (p *Problems) Hinted(n *yaml.Node) []string {
	var out []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		for _, q := range p.At(n.Content[i]) {
			if q.Hint != "" {
				out = append(out, q.Hint)
			}
		}
	}
	return out
}
