package process

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// commandLine is the name of the text of -g, as nginx's messages have it.
const commandLine = "command line"

// refusal is why a configuration isn't served: a message of nginx's, or of
// several lines.
type refusal struct {
	level nginxconf.Level
	lines []string
}

func (r *refusal) Error() string { return strings.Join(r.lines, "\n") }

func refuse(format string, args ...any) error {
	return &refusal{nginxconf.Emerg, []string{fmt.Sprintf(format, args...)}}
}

// configuration is one that was read, checked and can be served.
type configuration struct {
	*nginxconf.Config
	place
	// backends are the addresses to dial by name.
	backends map[string]string
	listens  []*bound
}

// read reads a configuration. syntax is true when nginx would have found nothing
// wrong with its text.
func read(o *Options, at place) (c *configuration, syntax bool, err error) {
	tree, problems, err := parse(o, at)
	if err != nil {
		return nil, false, err
	}
	cfg, more := nginxconf.InterpretAs(tree, o.Version)
	if problems = append(problems, more...); len(problems) > 0 {
		return nil, false, refuse("%s", inOrder(tree, problems)[0])
	}
	c = &configuration{Config: cfg, place: at}
	if d := tree.Main("worker_processes"); d != nil && d.Arg(0) == "auto" {
		c.WorkerProcesses = runtime.NumCPU()
	}
	if tree.Main("events") == nil {
		return nil, true, refuse("no \"events\" section in configuration")
	}
	if err := c.resolve(); err != nil {
		return nil, false, err
	}
	if err := c.findListens(); err != nil {
		return nil, false, err
	}
	return c, true, c.honoured()
}

// parse reads the file, what it includes, and the directives of the command line.
func parse(o *Options, at place) (*nginxconf.Tree, []nginxconf.Problem, error) {
	text, err := os.ReadFile(at.file)
	if err != nil {
		return nil, nil, refuse("open() \"%s\" failed%s", at.file, numbered(err))
	}
	tree, problems := nginxconf.ParseSource(nginxconf.Source{Name: at.file, Text: text, Root: system, Folder: at.folder})
	if o.Directives != "" {
		first, wrong := nginxconf.ParseSource(nginxconf.Source{Name: commandLine, Text: []byte(o.Directives), Root: system, Folder: at.folder})
		tree.Before(first)
		problems = append(wrong, problems...)
	}
	return tree, problems, nil
}

// honoured says what of a good configuration this proxy can't do, all of it.
func (c *configuration) honoured() error {
	r := &refusal{level: nginxconf.Emerg}
	add := func(n nginxconf.Note) { r.lines = append(r.lines, n.Text+" in "+spot(n.Pos)) }
	for _, n := range c.NginxOnly {
		if !n.Served {
			add(n)
		}
	}
	for _, n := range c.Unserved {
		add(n)
	}
	c.eachListen(func(_ *nginxconf.Server, l nginxconf.Listen) {
		if l.Endpoint().Last > 0 {
			r.lines = append(r.lines, "\"listen "+l.Address+"\" isn't modelled: a range of ports isn't opened; write one listen for each")
		}
	})
	if len(r.lines) == 0 {
		return nil
	}
	return r
}

// eachListen calls f for every listen of every server.
func (c *configuration) eachListen(f func(*nginxconf.Server, nginxconf.Listen)) {
	for _, s := range c.Servers {
		for _, l := range s.Listens {
			f(s, l)
		}
	}
}

// spot is a position as nginx writes it, without the column.
func spot(p nginxconf.Pos) string {
	if p.File == commandLine {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// inOrder are problems as nginx's messages, in the order in which nginx comes to
// them: includes in their places, and a directive when it is whole.
func inOrder(tree *nginxconf.Tree, problems []nginxconf.Problem) []string {
	r := reading{}
	r.walk(tree.Directives)
	type placed struct {
		at   int
		text string
	}
	var all []placed
	for _, p := range problems {
		at, line := r.find(p.Pos)
		text := p.Text
		switch {
		case p.Pos.File == "", strings.HasPrefix(text, "unknown \"") && strings.HasSuffix(text, "\" variable"):
			at = len(r.all) // nginx looks for them when all is read, and says no place
		case p.Pos.File == commandLine:
			text += " in " + commandLine
		default:
			text += fmt.Sprintf(" in %s:%d", p.Pos.File, line)
		}
		all = append(all, placed{at, text})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return a.at - b.at })
	var out []string
	for _, p := range all {
		out = append(out, p.text)
	}
	return out
}

// reading are the words of a configuration in nginx's order, and the lines at
// which nginx has read each directive: that of its ";" or "{".
type reading struct{ all []word }

type word struct {
	file       string
	start, end nginxconf.Pos
}

func (r *reading) walk(ds []*nginxconf.Directive) {
	for _, d := range ds {
		end := d.File.Pos(max(d.Span.End-1, d.Span.Start))
		if d.Block != nil && d.Name.Text != "upstream" {
			end = d.File.Pos(d.Block.Span.Start)
		}
		// What is wrong with an upstream block is known at its "}".
		r.all = append(r.all, word{d.File.Name, d.Pos(), end})
		for _, f := range d.Included {
			r.walk(f.Directives)
		}
		if d.Block != nil {
			r.walk(d.Block.Directives)
		}
	}
}

// find is the number and the line of the directive that a place belongs to; a
// place behind all of its file's directives has its own line.
func (r *reading) find(at nginxconf.Pos) (n, line int) {
	n, line = len(r.all), at.Line
	for i, w := range r.all {
		if w.file != at.File || before(at, w.start) {
			continue
		}
		n, line = i, at.Line
		if !before(w.end, at) {
			line = w.end.Line
		}
	}
	return n, line
}

func before(a, b nginxconf.Pos) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
}

// refused is an error as the lines that are logged.
func refused(err error) (nginxconf.Level, []string) {
	var r *refusal
	if errors.As(err, &r) {
		return r.level, r.lines
	}
	return nginxconf.Emerg, []string{err.Error()}
}
