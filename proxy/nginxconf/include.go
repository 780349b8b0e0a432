package nginxconf

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxIncludes bounds how many files one configuration may include, each use
// counted: files that include each other twice would grow without end.
const maxIncludes = 500

// includer reads included files.
type includer struct {
	files, root fs.FS
	folder      string // of a complete configuration
	used        int
	stack       []string // names being read now
}

// include parses what an include directive stands for. Each file has to be
// whole in itself, as in nginx.
func (p *parser) include(d *Directive) {
	name := d.Args[0].Text
	d.Included = []Fragment{}
	if p.folder != "" && !strings.HasPrefix(name, "/") {
		name = p.folder + "/" + name
	}
	fsys, rel := p.files, name
	if strings.HasPrefix(name, "/") {
		fsys, rel = p.root, strings.TrimLeft(name, "/")
	}
	rel = path.Clean(rel)
	if p.folder == "" && strings.HasPrefix(name, "/") {
		if found := Beside(p.files, name); found != nil {
			for _, n := range found {
				if !p.includeFile(d, p.files, n, n) {
					return
				}
			}
			return
		}
	}
	if fsys == nil {
		if isTypes(name) {
			return
		}
		p.out.add(d.ArgPos(0), "only files beside the configuration can be included: copy it there", "open() %q failed", name)
		return
	}
	names := []string{rel}
	if strings.ContainsAny(name, "*?[") {
		names = glob(fsys, rel)
	}
	for _, n := range names {
		if !p.includeFile(d, fsys, n, name) {
			return
		}
	}
}

func (p *parser) includeFile(d *Directive, fsys fs.FS, name, written string) bool {
	key := name
	if strings.HasPrefix(written, "/") {
		key = "/" + name
	}
	switch {
	case slices.Contains(p.stack, key):
		p.out.add(d.ArgPos(0), "", "%q includes itself", key)
		return false
	case p.used >= maxIncludes:
		p.out.add(d.ArgPos(0), "", "more than %d files are included", maxIncludes)
		return false
	case !fs.ValidPath(name):
		p.out.add(d.ArgPos(0), "a file outside of the configuration's folder can't be included", "open() %q failed", written)
		return true
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		if isTypes(written) && p.folder == "" {
			return true
		}
		hint := ""
		if strings.HasPrefix(written, "/") && p.folder == "" {
			hint = "copied beside the configuration, it is found there"
		}
		p.out.add(d.ArgPos(0), hint, "open() %q failed (%s)", key, reason(err))
		return true
	}
	p.used++
	f := p.known(key, text)
	p.stack = append(p.stack, key)
	d.Included = append(d.Included, Fragment{f, p.file(f)})
	p.stack = p.stack[:len(p.stack)-1]
	return !p.out.full()
}

// known returns the file of that name, which may be included more than once.
func (p *parser) known(name string, text []byte) *File {
	for _, f := range p.tree.Files[1:] {
		if f.Name == name {
			return f
		}
	}
	f := newFile(name, text, 1, 1)
	p.tree.Files = append(p.tree.Files, f)
	return f
}

// isTypes is true for nginx's own list of MIME types: nearly every
// configuration includes it, it comes with nginx and can't matter for failover,
// so it may be missing.
func isTypes(name string) bool { return path.Base(name) == "mime.types" }

// glob is glob(3) as nginx uses it: sorted, "*" doesn't match a leading dot, a
// broken pattern matches nothing.
func glob(fsys fs.FS, pattern string) []string {
	names, err := fs.Glob(fsys, strings.ReplaceAll(pattern, "[!", "[^"))
	if err != nil {
		return nil
	}
	hidden := strings.HasPrefix(path.Base(pattern), ".")
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(path.Base(n), ".") && !hidden })
	slices.Sort(names)
	return names
}

// reason is an error of fs in nginx's words, without the path.
func reason(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "2: No such file or directory"
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
