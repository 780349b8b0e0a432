package nginxconf

import (
	"fmt"
	"slices"
	"strings"
)

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
	// Stream is added at the start of stream, if there is one.
	Stream Section
	// Modules is the folder, absolute, that load_module's relative paths are taken
	// from; "" leaves them to nginx, whose prefix isn't that of its installation.
	Modules string
	// StreamLog is AccessLog for stream.
	StreamLog string
	// AccessLog and ErrorLog are whole directives with their ";" that have to be
	// in force everywhere: they are added at the start of http and of the main
	// level, and again at each level that has such a directive of its own,
	// because nginx doesn't inherit them to there. "" is none.
	AccessLog, ErrorLog string
	// Files maps the files that nginx reads (Tree.FilesRead) to the paths that stand
	// for them; "" leaves the directive out, and one that isn't there stays.
	Files map[FileName]string
	// Nowhere is a folder, absolute, that isn't there: every root and alias that is
	// absolute leads to it. PagesDir is one that has Tree.Pages. "" leaves them.
	Nowhere, PagesDir string
	// Dir is the folder, absolute, that the user's log and temporary paths are
	// moved into; it has to exist.
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
	// Changes are all replacements of the user's text, in the order of Text.
	// What was only added isn't among them.
	Changes []Change

	lines lineMap
}

// Change is one replacement; Now is "" for what was left out.
type Change struct {
	Pos      Pos
	Was, Now string
}

// Render returns the configuration for a real nginx. The tree has to be free
// of problems. Everything reaches nginx byte for byte, but:
//
//   - backend and listen addresses are replaced; a server without a listen gets one;
//   - a proxy_pass whose host depends on variables gets it from a map that is
//     added, with what the user wrote as its source;
//   - an include is replaced by the files' text, so one line map holds for all;
//   - user, pid, lock_file, daemon, master_process and working_directory are
//     left out: they belong to whoever starts nginx; worker_processes auto is 1,
//     as in Config; so is mail, whose ports nobody has replaced;
//   - files are looked for where none are, but for certificates and their like
//     (Files), and for error pages (Pages);
//   - logs and temporary files are moved into Dir, access_log off gives way to
//     AccessLog, storing answers as files is off.
//
// An address without a replacement is an error.
func Render(tree *Tree, o RenderOptions) (*Rendered, error) {
	e := &emitter{opt: o, listens: map[string]string{}}
	main, http := tree.sections()
	for _, w := range tree.Listens() {
		to, ok := o.Listens[w]
		if !ok {
			return nil, fmt.Errorf("listen %q: no address given", w)
		}
		e.listens[canonicalListen(w)] = to
	}
	e.addresses()
	e.pages = tree.errorPaths()
	f := tree.Files[0]
	e.owned = main
	e.section(o.Main, main)
	e.line(o.ErrorLog)
	top := &place{in: inMain, errorLog: true}
	if !slices.ContainsFunc(main, func(d *Directive) bool { return d.Name.Text == "events" }) {
		for _, d := range main {
			if d.Name.Text == "load_module" { // after an events block it is too late
				e.directive(d, top)
				e.add("\n")
				top.skip = append(top.skip, d)
			}
		}
		e.add("events {\n")
		e.section(o.Events, nil)
		e.add("}\n")
	}
	if http == nil {
		e.span(f, Span{0, len(f.Text)}, tree.Directives, top)
	} else {
		for _, d := range main {
			if !slices.Contains(top.skip, d) {
				e.directive(d, top)
				e.add("\n")
			}
		}
		e.add("http {\n")
		e.httpStart(http)
		inside := &place{in: inHTTP, part: httpPart, blocks: blockNames(http), accessLog: true, skip: main}
		e.span(f, Span{0, len(f.Text)}, tree.Directives, inside)
		e.add("\n}\n")
	}
	if e.err != nil {
		return nil, e.err
	}
	return &Rendered{Text: e.text, Changes: e.changes, lines: e.lines}, nil
}

// addresses indexes the backends' replacements by canonical address too, for
// names that are spelled differently.
func (e *emitter) addresses() {
	e.backends = map[string]string{}
	names := make([]string, 0, len(e.opt.Backends))
	for n := range e.opt.Backends {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		if a, err := parseAddress(n, 80, forServer); err == "" && e.backends[a.canonical()] == "" {
			e.backends[a.canonical()] = e.opt.Backends[n]
		}
	}
}

// section adds what a section says, given the user's directives at its level.
func (e *emitter) section(s Section, user []*Directive) {
	e.line(s.Text)
	for _, d := range s.Defaults {
		name, _, _ := strings.Cut(strings.TrimSpace(d), " ")
		has := func(u *Directive) bool { return u.Name.Text == name && !e.dropped(u) }
		if !slices.ContainsFunc(user, has) {
			e.line(d)
		}
	}
}

// dropped says whether a directive of the main level is left out.
func (e *emitter) dropped(d *Directive) bool {
	return slices.Contains(e.owned, d) && ownedByHarness(d)
}

// httpStart adds what comes first inside http.
func (e *emitter) httpStart(user []*Directive) {
	e.section(e.opt.HTTP, user)
	e.line(e.opt.AccessLog)
	e.add(e.peerMaps(user))
}
