package nginxconf

import (
	"fmt"
	"slices"
	"strings"
)

// emitter writes the rendered text and remembers where its bytes come from.
type emitter struct {
	opt      RenderOptions
	backends map[string]string // by canonical address
	listens  map[string]string // by canonical address
	owned    []*Directive      // the main level
	text     []byte
	lines    lineMap
	changes  []Change
	peers    map[*Directive]string // arguments of proxy_pass that are replaced whole
	pages    map[string]bool
	err      error
}

// place is a level of the configuration that is being written.
type place struct {
	in     context
	part   family
	blocks map[string]bool
	// accessLog and errorLog are true when ours is in force at this level.
	accessLog, errorLog bool
	// skip are directives that were written elsewhere.
	skip []*Directive
	// page is the error page whose location this is inside of, "" for none.
	page string
}

// add writes text of ours.
func (e *emitter) add(s string) { e.text = append(e.text, s...) }

// line writes a line of ours, nothing for "".
func (e *emitter) line(s string) {
	if s != "" {
		e.add(strings.TrimSuffix(s, "\n") + "\n")
	}
}

// copy writes the user's bytes.
func (e *emitter) copy(f *File, s Span) {
	if s.Start >= s.End {
		return
	}
	e.lines.add(len(e.text), f, s)
	e.text = append(e.text, f.Text[s.Start:s.End]...)
}

// span writes a range of a file with the directives in it.
func (e *emitter) span(f *File, s Span, ds []*Directive, p *place) {
	at := s.Start
	for _, d := range ds {
		e.copy(f, Span{at, d.Span.Start})
		at = d.Span.End
		if !slices.Contains(p.skip, d) {
			e.directive(d, p)
		}
	}
	e.copy(f, Span{at, s.End})
}

// directive writes one directive with what is changed in it and added to it.
func (e *emitter) directive(d *Directive, p *place) {
	switch {
	case d.Included != nil:
		e.included(d, p)
	case d.Name.Text == "mail" && p.in == inMain:
		e.change(d, d.Span, "")
	case d.Block != nil:
		e.copy(d.File, Span{d.Span.Start, d.Block.Span.Start + 1})
		e.inside(d, p)
		e.copy(d.File, Span{d.Block.Span.End - 1, d.Block.Span.End})
	default:
		e.simple(d, p)
	}
}

// included writes the included files in the place of the include.
func (e *emitter) included(d *Directive, p *place) {
	for _, f := range d.Included {
		e.add("\n")
		e.span(f.File, Span{0, len(f.File.Text)}, f.Directives, p)
		e.add("\n") // its last line may be a comment
	}
	if len(d.Included) == 0 {
		e.change(d, d.Span, "")
	}
}

// inside writes the inside of a block.
func (e *emitter) inside(d *Directive, p *place) {
	in := Span{d.Block.Span.Start + 1, d.Block.Span.End - 1}
	inner := &place{in: contextOf(d, p.in), part: p.part, blocks: p.blocks, skip: p.skip}
	switch d.Name.Text {
	case "http", "stream":
		if p.in != inMain {
			break
		}
		inner.in, inner.blocks = inHTTP, blockNames(d.Children())
		inner.accessLog = true
		e.add("\n")
		if d.Name.Text == "stream" {
			inner.part = streamPart
			e.section(e.opt.Stream, d.Children())
			e.line(e.opt.StreamLog)
			break
		}
		e.httpStart(d.Children())
	case "events":
		e.add("\n")
		e.section(e.opt.Events, d.Children())
	case "location":
		page, ok := pageOf(d, e.pages)
		if !ok || e.opt.PagesDir == "" {
			break
		}
		if inner.page = page; !rooted(d) {
			e.add(" root " + word(e.opt.PagesDir) + ";")
		}
	case "server":
		if p.in == inHTTP && p.part == httpPart && d.listens() == nil {
			to := e.listens[canonicalListen(defaultListen)]
			e.add(" listen " + to + ";")
		}
	}
	e.span(d.File, in, d.Block.Directives, inner)
}

// simple writes a directive without a block.
func (e *emitter) simple(d *Directive, p *place) {
	name := d.Name.Text
	if p.in == inMain && ownedByHarness(d) {
		e.change(d, d.Span, "")
		return
	}
	now := e.opt.AccessLog
	if p.part == streamPart {
		now = e.opt.StreamLog
	}
	if p.in != inMain && name == "access_log" && d.Arg(0) == "off" {
		if now != "" && !p.accessLog {
			p.accessLog = true
			e.change(d, d.Span, now)
		} else if now != "" {
			e.change(d, d.Span, "")
		} else {
			e.copy(d.File, d.Span)
		}
		return
	}
	if to, ok := e.reads(d); ok && to == "" {
		e.change(d, d.Span, "")
		return
	}
	if span, now, ok := e.edit(d, p); ok {
		e.copy(d.File, Span{d.Span.Start, span.Start})
		e.change(d, span, now)
		e.copy(d.File, Span{span.End, d.Span.End})
	} else {
		e.copy(d.File, d.Span)
	}
	switch {
	case name == "access_log" && p.in != inMain && !p.accessLog && now != "":
		p.accessLog = true
		e.add(" " + now)
	case name == "error_log" && !p.errorLog && e.opt.ErrorLog != "":
		p.errorLog = true
		e.add(" " + e.opt.ErrorLog)
	}
}

// edit returns the one replacement that a directive needs.
func (e *emitter) edit(d *Directive, p *place) (Span, string, bool) {
	if len(d.Args) == 0 {
		return Span{}, "", false
	}
	first := d.Args[0].Span
	if d.Name.Text == "listen" && p.in == inServer {
		return first, e.listens[canonicalListen(d.Arg(0))], true
	}
	if d.Name.Text == "worker_processes" && d.Arg(0) == "auto" {
		return first, "1", true
	}
	if to, ok := e.peers[d]; ok {
		return first, word(to), true
	}
	if s, ok := slotOf(d, p.in, p.part, p.blocks); ok && p.in&(inHTTP|inMain|inEvents) == 0 {
		to, given := e.opt.Backends[s.name]
		if !given {
			to, given = e.backends[s.canonical]
		}
		if !given && e.err == nil {
			e.err = fmt.Errorf("%s: backend %q: no address given", d.ArgPos(0), s.name)
		}
		if s.colon && strings.HasPrefix(to, "unix:") {
			to += ":"
		}
		if s.span == first && s.before+s.after != "" {
			to = word(s.before + to + s.after)
		}
		return s.span, to, true
	}
	if now, ok := e.root(d, p); ok {
		return first, word(now), true
	}
	if now, ok := e.path(d); ok {
		return first, word(now), true
	}
	if now, ok := e.reads(d); ok {
		return first, word(now), true
	}
	return Span{}, "", false
}

// change writes now instead of the user's bytes and notes it.
func (e *emitter) change(d *Directive, s Span, now string) {
	e.changes = append(e.changes, Change{d.File.Pos(s.Start), string(d.File.Text[s.Start:s.End]), now})
	// The replacement stands where the user's bytes stood.
	if now != "" {
		e.lines.add(len(e.text), d.File, Span{s.Start, s.Start})
		e.add(now)
	}
}

// word writes s so that nginx reads it back.
func word(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\r\n;{}\"'\\#") {
		return s
	}
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
	return `"` + r.Replace(s) + `"`
}
