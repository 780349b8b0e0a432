package scenario

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// lineOf returns a line of src, from 1, without its end.
func lineOf(src []byte, line int) []byte {
	for ; line > 1; line-- {
		i := bytes.IndexByte(src, '\n')
		if i < 0 {
			return nil
		}
		src = src[i+1:]
	}
	if i := bytes.IndexByte(src, '\n'); i >= 0 {
		src = src[:i]
	}
	return src
}

// byteCol is the column in bytes of a column in characters.
func byteCol(src []byte, line, col int) int {
	n := 0
	for l := lineOf(src, line); col > 1 && n < len(l); col-- {
		_, size := utf8.DecodeRune(l[n:])
		n += size
	}
	return n + 1
}

// blockStart is where the text of a literal block scalar begins: the line after
// its "|", and the column after its indentation.
func blockStart(src []byte, n *yaml.Node) (line, col int) {
	line = n.Line + 1
	for i, text := range strings.Split(n.Value, "\n") {
		if text == "" {
			continue
		}
		raw := strings.TrimSuffix(string(lineOf(src, line+i)), "\r")
		return line, len(raw) - len(text) + 1
	}
	return line, 1
}

// aligner finds the places in a YAML file of the characters of a quoted, folded
// or plain scalar: it walks value and source side by side, past the line breaks,
// indentation and escapes that YAML resolved. Where they can't be matched it
// stays where it is.
type aligner struct {
	name string
	// offsets holds for every byte of the value its place in src.
	offsets []int
	src     []byte
	starts  []int
}

func newAligner(name string, src []byte, n *yaml.Node) *aligner {
	a := &aligner{name: name, src: src}
	for i := 0; i < len(src); i++ {
		if i == 0 || src[i-1] == '\n' {
			a.starts = append(a.starts, i)
		}
	}
	j := 0
	if n.Line <= len(a.starts) {
		j = a.starts[n.Line-1] + byteCol(src, n.Line, n.Column) - 1
	}
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	switch {
	case quoted:
		j++
	case n.Style&yaml.FoldedStyle != 0 && n.Line < len(a.starts):
		j = a.starts[n.Line]
	}
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	for i := 0; i < len(n.Value); i++ {
		c := n.Value[i]
		if blank(c) {
			a.offsets = append(a.offsets, min(j, len(src)))
			if j+1 < len(src) && src[j] == '\\' && quoted {
				j += 2
			}
			for j < len(src) && blank(src[j]) && (i+1 == len(n.Value) || !blank(n.Value[i+1])) {
				j++
			}
			continue
		}
		for j < len(src) && src[j] != c && blank(src[j]) {
			j++
		}
		if j+1 < len(src) && quoted && (src[j] == '\\' && src[j+1] == c && n.Style&yaml.DoubleQuotedStyle != 0 || src[j] == '\'' && src[j+1] == '\'') {
			j++
		}
		a.offsets = append(a.offsets, min(j, len(src)))
		if j < len(src) && src[j] == c {
			j++
		}
	}
	a.offsets = append(a.offsets, min(j, len(src)))
	return a
}

// pos is the place in the YAML file of a place in the value, whose lines and
// columns count from 1.
func (a *aligner) pos(value string, p nginxconf.Pos) nginxconf.Pos {
	off := 0
	for line := p.Line; line > 1; line-- {
		i := strings.IndexByte(value[off:], '\n')
		if i < 0 {
			break
		}
		off += i + 1
	}
	var at int
	if end := len(strings.TrimRight(value, " \t\n")); off+p.Col-1 < end {
		at = a.offsets[off+p.Col-1]
	} else if end > 0 {
		at = min(a.offsets[end-1]+1, len(a.src)) // the end of the text, not of what is blank after it
	}
	line := 0
	for line < len(a.starts) && a.starts[line] <= at {
		line++
	}
	if line == 0 {
		return nginxconf.Pos{File: a.name, Line: 1, Col: 1}
	}
	return nginxconf.Pos{File: a.name, Line: line, Col: at - a.starts[line-1] + 1}
}
