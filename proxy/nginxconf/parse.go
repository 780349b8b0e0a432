package nginxconf

import "io/fs"

// maxDepth bounds nested blocks; nginx's own contexts need six levels and
// whatever locations are nested.
const maxDepth = 100

// Source is a configuration text and where it stands.
type Source struct {
	// Name is the file for positions; Line and Col, from 1, are where the text
	// starts in it, 0 is 1. Col holds for every line: the text may be an indented
	// block of a YAML file.
	Name      string
	Line, Col int
	Text      []byte
	// Files is where relative includes are read, Root where absolute ones are
	// (without their leading "/"). nil: such an include is a problem.
	Files, Root fs.FS
	// Folder, when it is given, makes the text a complete configuration as nginx
	// reads it: Name is its full path, relative includes are looked for in Folder,
	// an absolute path, through Root, and what nginx needs has to be there.
	Folder string
}

// Parse parses a configuration file. Relative includes are read from fsys.
// The tree is never nil: it holds what could be made out.
func Parse(name string, src []byte, fsys fs.FS) (*Tree, []Problem) {
	return ParseSource(Source{Name: name, Text: src, Files: fsys})
}

// ParseSource parses a text that may stand inside another file.
func ParseSource(s Source) (*Tree, []Problem) {
	p := &parser{
		tree:     &Tree{},
		includer: includer{files: s.Files, root: s.Root, folder: s.Folder},
	}
	p.tree.whole = s.Folder != ""
	f := newFile(s.Name, s.Text, s.Line, s.Col)
	p.tree.Files = append(p.tree.Files, f)
	p.tree.Directives = p.file(f)
	return p.tree, p.out.all()
}

// parser builds the tree.
type parser struct {
	tree *Tree
	out  problems
	includer
}

// file parses one file from the outermost level.
func (p *parser) file(f *File) []*Directive {
	l := &lexer{file: f, src: f.Text, out: &p.out}
	var all []*Directive
	for {
		ds, end, at := p.level(l, nil)
		all = append(all, ds...)
		if end == atEnd {
			return all
		}
		// A "}" that closes nothing: said, and passed over.
		p.out.add(f.Pos(at.Start), "", "unexpected \"}\"")
		if p.out.full() {
			return all
		}
	}
}

// level parses directives up to the end of the block or file. open holds the
// directives around it.
func (p *parser) level(l *lexer, open []*Directive) ([]*Directive, terminator, Span) {
	var ds []*Directive
	for {
		before := len(p.out.list)
		words, end, at := l.next()
		if len(words) == 0 && end != atOpen {
			if end == atEnd && len(open) > 0 && len(p.out.list) == before {
				p.unclosed(l.file, open)
			}
			return ds, end, at
		}
		d := &Directive{File: l.file, Broken: end == atClose || end == atEnd}
		if len(words) == 0 {
			// A "{" without a name: already said; kept so that the text stays whole.
			d.Name = Word{"", Span{at.Start, at.Start}}
		} else {
			d.Name, d.Args = words[0], words[1:]
		}
		d.Span = Span{d.Name.Span.Start, d.Name.Span.End}
		if n := len(d.Args); n > 0 {
			d.Span.End = d.Args[n-1].Span.End
		}
		ds = append(ds, d)
		switch end {
		case atClose, atEnd:
			return ds, end, at
		case atSemicolon:
			d.Span.End = at.End
			if d.Name.Text == "include" && len(d.Args) == 1 {
				p.include(d)
			}
		case atOpen:
			if p.block(l, append(open, d), d, at) == atEnd {
				return ds, atEnd, Span{len(l.src), len(l.src)}
			}
		}
	}
}

// block parses the block of d, whose "{" is at.
func (p *parser) block(l *lexer, open []*Directive, d *Directive, at Span) terminator {
	d.Block = &Block{Span: at}
	if len(open) > maxDepth {
		p.out.add(l.file.Pos(at.Start), "", "blocks are nested more than %d deep", maxDepth)
		l.pos = len(l.src)
		d.Broken = true
		d.Block.Span.End = len(l.src)
		d.Span.End = len(l.src)
		return atEnd
	}
	ds, end, close := p.level(l, open)
	d.Block.Directives = ds
	d.Block.Span.End, d.Span.End = close.End, close.End
	d.Broken = end == atEnd
	return end
}

// unclosed says that the file ended inside blocks.
func (p *parser) unclosed(f *File, open []*Directive) {
	d := open[len(open)-1]
	p.out.add(f.Pos(len(f.Text)), "the block of "+quoteShort(d.Name.Text)+" opened at "+f.place(d.Block.Span.Start)+" isn't closed",
		`unexpected end of file, expecting "}"`)
}
