package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/variable"
)

// The files of the machine that a configuration was written for aren't here: a
// production server's root is none of a scenario's. So no file is ever found, on any
// engine (RenderOptions.Nowhere), and what comes then is known.

// fallback is what a try_files comes to when none of its files is there: its last
// argument (ngx_http_try_files_handler).
type fallback struct {
	code int // 0 for none
	// uri is a path, with arguments behind its "?", or "@" and a name.
	uri variable.Template
}

// tryFiles reads a try_files.
func (in *interpreter) tryFiles(d *Directive) *fallback {
	n := len(d.Args) - 1
	last := d.Arg(n)
	if code, ok := strings.CutPrefix(last, "="); ok {
		c := number(code)
		if c < 0 || c > 999 {
			in.out.add(d.ArgPos(n), missingSemicolon(d), "invalid code \"%s\"", code)
			return nil
		}
		if c < 200 {
			in.nginxOnlyArg(d, n, "it is no status of an answer")
		}
		return &fallback{code: int(c)}
	}
	uri, ok := in.template(d, n, last)
	if !ok {
		return nil
	}
	path, _, _ := strings.Cut(last, "?")
	if t, err := variable.Compile(path); err == nil {
		in.decides(d, n, t.Names()) // of the arguments nobody decides
	}
	return &fallback{uri: uri}
}

// fallBack goes on where a try_files leads to.
func (w *Way) fallBack(f *fallback) Step {
	if f.code != 0 {
		return w.special(f.code)
	}
	if !f.uri.Constant() {
		w.varied = true
	}
	uri := f.uri.Value(w.facts)
	if strings.HasPrefix(uri, "@") {
		return w.named(uri)
	}
	path, args, _ := strings.Cut(uri, "?") // ngx_http_split_args
	return w.redirect(path, args)
}

// StandInPage is the text of an error page that would be a file.
const StandInPage = "This stands in for an error page that isn't here.\n"

// Pages are the paths of the error pages that the configuration has in a location
// of their own and that would be files: `error_page 502 /50x.html` with `location =
// /50x.html`. They are there on every engine, so that an answer has the status that
// it has in production.
func (t *Tree) Pages() []string {
	paths := t.errorPaths()
	var out []string
	had := map[string]bool{}
	var walk func([]*Directive)
	walk = func(ds []*Directive) {
		for _, d := range ds {
			if p, ok := pageOf(d, paths); ok && !had[p] {
				had[p] = true
				out = append(out, p)
			}
			walk(d.Children())
		}
	}
	walk(t.Top())
	return out
}

// errorPaths are the paths that error_pages lead to.
func (t *Tree) errorPaths() map[string]bool {
	out := map[string]bool{}
	var walk func([]*Directive)
	walk = func(ds []*Directive) {
		for _, d := range ds {
			if n := len(d.Args); d.Name.Text == "error_page" && d.Block == nil && n > 1 && strings.HasPrefix(d.Arg(n-1), "/") && !strings.Contains(d.Arg(n-1), "$") {
				path, _, _ := strings.Cut(d.Arg(n-1), "?")
				out[path] = true
			}
			walk(d.Children())
		}
	}
	walk(t.Top())
	return out
}

// pageOf is the path of an exact location that has an error page's file and
// nothing else that answers.
func pageOf(d *Directive, paths map[string]bool) (string, bool) {
	if d.Name.Text != "location" || d.Block == nil {
		return "", false
	}
	m, ok := matcherOf(d)
	if !ok || m.mod != "=" || !paths[m.path] || strings.HasSuffix(m.path, "/") || strings.Contains(m.path, "..") {
		return "", false
	}
	for _, c := range d.Children() {
		switch c.Name.Text {
		case "root", "alias", "internal", "add_header", "access_log", "error_log", "log_not_found", "default_type", "types", "expires", "charset", "allow", "auth_basic", "error_page":
		default:
			return "", false
		}
	}
	return m.path, true
}
