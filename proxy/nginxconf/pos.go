package nginxconf

import "fmt"

// Pos is a place in a configuration file, line and column from 1.
type Pos struct {
	File      string
	Line, Col int
}

// String is file:line:col.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }
