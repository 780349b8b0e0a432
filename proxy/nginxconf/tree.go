package nginxconf

import (
	"fmt"
	"sort"
)

// Tree is a parsed configuration: its directives, in order, over the files'
// bytes. It is lossless: the spans and what lies between them are the text.
type Tree struct {
	// Files holds the main file first, then the included ones in the order of
	// their first use.
	Files      []*File
	Directives []*Directive

	// whole is true for a complete configuration: nothing of http stands outside
	// of an http block.
	whole bool
}

// File is one text of a configuration.
type File struct {
	Name string
	Text []byte
	// line and col are where the text starts in the file that a person edits,
	// from 1; col holds for every line (the indentation of a YAML block).
	line, col int
	starts    []int // offset of every line
}

// Span is a range of bytes of a file, End exclusive.
type Span struct{ Start, End int }

// Word is the name or an argument of a directive.
type Word struct {
	// Text is the value: quotes removed, escapes resolved.
	Text string
	// Span covers the word as written, with its quotes.
	Span Span
}

// Directive is a name with arguments and perhaps a block.
type Directive struct {
	File *File
	Name Word
	Args []Word
	// Span reaches from the name to the ";" or to the "}" of the block.
	Span Span
	// Block is nil for a directive without one.
	Block *Block
	// Included are the files that an include directive stands for, in order.
	Included []Fragment
	// Broken is true when the ";" or "}" is missing.
	Broken bool
}

// Block is the part in braces.
type Block struct {
	// Span reaches from "{" to after "}".
	Span       Span
	Directives []*Directive
}

// Fragment is one included file.
type Fragment struct {
	File       *File
	Directives []*Directive
}

// Pos is where the directive's name is.
func (d *Directive) Pos() Pos { return d.File.Pos(d.Name.Span.Start) }

// ArgPos is where argument i is, or the end of the directive when there is none.
func (d *Directive) ArgPos(i int) Pos {
	if i < len(d.Args) {
		return d.File.Pos(d.Args[i].Span.Start)
	}
	return d.Pos()
}

// Arg is the value of argument i, "" when there is none.
func (d *Directive) Arg(i int) string {
	if i < len(d.Args) {
		return d.Args[i].Text
	}
	return ""
}

// Children are the directives of the block with includes opened up; nil
// without a block.
func (d *Directive) Children() []*Directive {
	if d.Block == nil {
		return nil
	}
	return expand(nil, d.Block.Directives)
}

// Top are the directives of the main level with includes opened up.
func (t *Tree) Top() []*Directive { return expand(nil, t.Directives) }

// expand appends ds to out, with the directives of included files in the place
// of their include.
func expand(out, ds []*Directive) []*Directive {
	for _, d := range ds {
		if d.Included == nil {
			out = append(out, d)
			continue
		}
		for _, f := range d.Included {
			out = expand(out, f.Directives)
		}
	}
	return out
}

func newFile(name string, text []byte, line, col int) *File {
	f := &File{Name: name, Text: text, line: max(line, 1), col: max(col, 1), starts: []int{0}}
	for i, c := range text {
		if c == '\n' {
			f.starts = append(f.starts, i+1)
		}
	}
	return f
}

// Pos is the place of a byte of the file's text.
func (f *File) Pos(offset int) Pos {
	n := sort.SearchInts(f.starts, offset+1) - 1
	return Pos{f.Name, f.line + n, f.col + offset - f.starts[n]}
}

// Bytes puts the main file together again from its directives and what lies
// between them; the result is the text that was parsed.
func (t *Tree) Bytes() []byte { return reassemble(t.Files[0], t.Directives) }

func reassemble(f *File, ds []*Directive) []byte {
	var out []byte
	at := 0
	upTo := func(n int) {
		out = append(out, f.Text[at:n]...)
		at = n
	}
	var walk func(ds []*Directive)
	walk = func(ds []*Directive) {
		for _, d := range ds {
			upTo(d.Span.Start)
			upTo(d.Name.Span.End)
			for _, a := range d.Args {
				upTo(a.Span.Start)
				upTo(a.Span.End)
			}
			if d.Block != nil {
				upTo(d.Block.Span.Start)
				walk(d.Block.Directives)
				upTo(d.Block.Span.End)
			}
			upTo(d.Span.End)
		}
	}
	walk(ds)
	upTo(len(f.Text))
	return out
}

// place is line:col of a byte, for hints that point into the same file.
func (f *File) place(offset int) string {
	p := f.Pos(offset)
	return fmt.Sprintf("%d:%d", p.Line, p.Col)
}
