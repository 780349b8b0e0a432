package bind

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Parse returns the root node of the one document in src, or the mistakes that
// keep it from being read: no text, broken syntax, no or several documents.
// Anchors, aliases, merge keys, explicit tags and duplicate keys are mistakes
// too; with those it returns the node as well, so that the rest can be looked at.
func Parse(src []byte, ps *Problems) *yaml.Node {
	if q, bad := badByte(src); bad {
		ps.Add(q)
		return nil
	}
	loader, err := yaml.NewLoader(bytes.NewReader(src))
	if err != nil {
		ps.Add(Problem{Line: 1, Col: 1, Text: err.Error()})
		return nil
	}
	var doc, second yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		ps.Add(Problem{Line: 1, Col: 1, Text: "the file is empty"})
		return nil
	case err != nil:
		ps.Add(syntax(src, err))
		return nil
	}
	root := doc.Content[0]
	if isNull(root) {
		ps.Add(Problem{Line: 1, Col: 1, Text: "the file is empty"})
		return nil
	}
	switch err := loader.Load(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		ps.Add(syntax(src, err))
	default:
		line, col := clamp(src, second.Line, second.Column)
		ps.Add(Problem{Line: line, Col: col, Text: "a second document begins here; a file is one scenario"})
	}
	tidy(root, ps)
	return root
}

// badByte finds the first byte that text can't hold. YAML's own complaint about
// it has no position.
func badByte(src []byte) (Problem, bool) {
	line, col := 1, 1
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && n == 1,
			r < ' ' && r != '\t' && r != '\n' && r != '\r',
			r >= 0x7f && r < 0xa0 && r != 0x85:
			return Problem{Line: line, Col: col, Text: fmt.Sprintf("not a text file in UTF-8: byte 0x%02x", src[i])}, true
		case r == '\r' && !bytes.HasPrefix(src[i:], []byte("\r\n")), r == 0x85, r == 0x2028, r == 0x2029:
			// YAML ends a line here, an editor may not; positions would be off.
			return Problem{Line: line, Col: col, Text: fmt.Sprintf("a line has to end with a line feed, not with %U", r)}, true
		case r == '\n':
			line, col = line+1, 1
		default:
			col++
		}
		i += n
	}
	return Problem{}, false
}

// syntax turns the library's one error into a problem.
func syntax(src []byte, err error) Problem {
	var le *yaml.LoadError
	if !errors.As(err, &le) {
		return Problem{Line: 1, Col: 1, Text: err.Error()}
	}
	line, col := clamp(src, le.Mark.Line, le.Mark.Column)
	if tabbed(src, line) {
		return Problem{Line: line, Col: 1, Text: "tabs are not allowed for indentation; use spaces"}
	}
	text := le.Message
	if le.ContextMsg != "" {
		text += " " + le.ContextMsg
		if le.ContextMark.Line > 0 && le.ContextMark.Line != line {
			text += fmt.Sprintf(" that begins in line %d", le.ContextMark.Line)
		}
	}
	return Problem{Line: line, Col: col, Text: "not YAML: " + text, Hint: quoting(src, line, col)}
}

// clamp keeps a position inside the file: the library's end of stream is the
// line after the last one.
func clamp(src []byte, line, col int) (int, int) {
	lines := strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")
	if line < 1 {
		return 1, 1
	}
	if line > len(lines) {
		line = len(lines)
		col = utf8.RuneCountInString(lines[line-1]) + 1
	}
	return line, min(max(col, 1), utf8.RuneCountInString(lines[line-1])+1)
}

func tabbed(src []byte, line int) bool {
	lines := bytes.SplitN(src, []byte("\n"), line+1)
	l := lines[line-1]
	indent := l[:len(l)-len(bytes.TrimLeft(l, " \t"))]
	return bytes.IndexByte(indent, '\t') >= 0
}

// tidy looks for what a scenario may not use anywhere.
func tidy(n *yaml.Node, ps *Problems) {
	at := func(n *yaml.Node, format string, args ...any) {
		ps.Add(Problem{Line: n.Line, Col: n.Column, Text: fmt.Sprintf(format, args...)})
	}
	if n.Anchor != "" {
		at(n, "anchors are not allowed; variants say what differs")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		at(n, "tags are not allowed")
	}
	switch n.Kind {
	case yaml.AliasNode:
		at(n, "aliases are not allowed; write it out, or use a variant")
		return
	case yaml.MappingNode:
		first := map[string]*yaml.Node{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			switch f := first[k.Value]; {
			case k.Kind == yaml.AliasNode:
			case k.Kind != yaml.ScalarNode:
				at(k, "want a key, got %s", Describe(k))
			case k.ShortTag() == "!!merge":
				at(k, "merge keys are not allowed; variants say what differs")
			case f != nil:
				at(k, "key %s is given twice, first in line %d", quote(k.Value), f.Line)
			default:
				first[k.Value] = k
			}
		}
	}
	for _, c := range n.Content {
		tidy(c, ps)
	}
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// Describe says what a node is, for messages.
func Describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!bool":
		return n.Value
	}
	return quote(n.Value)
}

// Count is the number of nodes in a tree; it stops soon after limit.
func Count(n *yaml.Node, limit int) int {
	c := 1
	for _, m := range n.Content {
		if c > limit {
			break
		}
		c += Count(m, limit-c)
	}
	return c
}
