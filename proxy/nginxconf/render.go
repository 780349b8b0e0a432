package nginxconf

import "errors"

// RenderOptions says what a rendered configuration gets instead of the user's
// addresses and paths, and what is added.
type RenderOptions struct {
	// Backends maps every name of Config.Backends to the address that stands
	// for it, host:port.
	Backends map[string]string
	// Listens maps every address of Tree.Listens to the one that stands for it.
	Listens map[string]string
	// Main, Events and HTTP are added at main level, inside events and at the
	// start of http.
	Main, Events, HTTP Section
	// AccessLog and ErrorLog are whole directives with their ";" that have to be
	// in force everywhere; they are repeated at each level that has its own.
	AccessLog, ErrorLog string
	// Dir is the folder, absolute, that the user's log and temporary paths are
	// moved into.
	Dir string
}

// Section is what is added at one level.
type Section struct {
	// Text is added as it is.
	Text string
	// Defaults are directives with their ";", each left out when the user's text
	// has a directive of that name at this level.
	Defaults []string
}

// Rendered is a whole configuration for a real nginx.
type Rendered struct {
	Text []byte
	// Changes are all replacements of the user's text, in order.
	Changes []Change
}

// Change is one replacement.
type Change struct {
	Pos      Pos
	Was, Now string
}

// Render returns the configuration for a real nginx. The tree has to be free
// of problems. An address without a replacement is an error.
func Render(tree *Tree, o RenderOptions) (*Rendered, error) { return nil, errors.New("not yet") }

// Pos is the place in the user's text that a line of the rendered text, from
// 1, comes from; false for a line that was added.
func (r *Rendered) Pos(line int) (Pos, bool) { return Pos{}, false }

// Problem turns a message of nginx, "... [emerg] ... in FILE:LINE", into a
// problem at the place in the user's text; false when it has no place there.
func (r *Rendered) Problem(message string) (Problem, bool) { return Problem{}, false }

// Listens are the different listen addresses as written, in order of
// appearance; "80" stands for a server without one. Addresses that nginx takes
// for the same ("80" and "*:80") are listed once.
func (t *Tree) Listens() []string { return nil }
