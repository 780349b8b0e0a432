package scenario

import (
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/harness/scenario/internal/bind"
	"github.com/nolive/nolive/harness/scenario/internal/form"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// config is an interpreted configuration.
type config struct {
	*nginxconf.Config
	// complete is false when broken syntax may have hidden a part of it, so that
	// what it lacks proves nothing.
	complete bool
	// files are those that it reads and that are here.
	files map[string][]byte
	// place turns a position in the text into one for the user.
	place func(nginxconf.Pos) nginxconf.Pos
}

// configKey is a text and how it is read.
type configKey struct {
	node    *yaml.Node
	version upstream.Version
}

// bindNginx takes the text itself or {file: NAME}.
func bindNginx(b *bind.Binder, what string, n *yaml.Node, v reflect.Value) {
	x := v.Addr().Interface().(*form.Nginx)
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && strings.TrimSpace(n.Value) != "":
		x.Text = n.Value
	case n.Kind == yaml.ScalarNode && strings.TrimSpace(n.Value) == "":
		b.Errorf(n, "nginx: the configuration is empty")
	case n.Kind == yaml.MappingNode:
		type plain form.Nginx
		b.Value(what, n, reflect.ValueOf((*plain)(x)).Elem())
		b.Alias(n, reflect.ValueOf(&x.File).Elem())
	default:
		b.Want(n, "nginx", "", "a configuration's text or {file: NAME}")
	}
}

// nginx parses and interprets the configuration.
func (r *resolver) nginx() {
	x := &r.form.Proxy.Nginx
	n := bind.Node(r.b, x)
	if n == nil || x.Text == "" && x.File == "" {
		return
	}
	key := configKey{n, r.s.NginxVersion}
	if c := r.configs[key]; c != nil {
		r.use(c)
		return
	}
	src, translate, ok := r.configSource(n, x)
	if !ok {
		return
	}
	tree, broken := nginxconf.ParseSource(src)
	cfg, mistakes := nginxconf.InterpretAs(tree, r.s.NginxVersion)
	for _, p := range append(broken, mistakes...) {
		r.add(Problem{Pos: translate(p.Pos), Text: p.Text, Hint: p.Hint}, r.s.Variant)
	}
	c := &config{Config: cfg, complete: len(broken) == 0, place: translate, files: r.files(tree, src.Files)}
	r.misspelt(cfg, translate)
	if r.configs == nil {
		r.loader.configs = map[configKey]*config{}
	}
	r.configs[key] = c
	r.use(c)
}

// misspelt warns of a host that is nearly called like an upstream block and that
// nothing else names: nginx wouldn't find its address, here it is a backend of its own.
func (r *resolver) misspelt(cfg *nginxconf.Config, translate func(nginxconf.Pos) nginxconf.Pos) {
	var blocks, known []string
	for _, u := range cfg.Upstreams {
		if cfg.IsImplicit(u) {
			continue
		}
		blocks = append(blocks, u.Name)
		for _, s := range u.Servers {
			known = append(known, s.Name)
		}
	}
	for name := range r.form.Backends {
		known = append(known, name)
	}
	for _, h := range cfg.Hosts {
		if near := bind.Nearest(h.Text, blocks); near != "" && !slices.Contains(known, h.Text) {
			r.warn(Problem{Pos: translate(h.Pos), Hint: meant(near),
				Text: fmt.Sprintf("no upstream is called %s, so it is a backend of its own", h.Text)})
		}
	}
}

// use makes c the scenario's configuration.
func (r *resolver) use(c *config) {
	r.cfg, r.s.Nginx, r.s.place, r.s.Files = c, c.Config, c.place, c.files
}

// configSource finds the text and says how a position in it becomes one for the user.
func (r *resolver) configSource(n *yaml.Node, x *form.Nginx) (src nginxconf.Source, translate func(nginxconf.Pos) nginxconf.Pos, ok bool) {
	same := func(p nginxconf.Pos) nginxconf.Pos { return p }
	if x.File != "" {
		text, err := r.companion(x.File)
		if err != nil {
			at := bind.Node(r.b, &x.File)
			if at == nil {
				at = n
			}
			r.b.Errorf(at, "nginx: %s: %v", x.File, err)
			return src, same, false
		}
		name := path.Join(path.Dir(r.path), x.File)
		return nginxconf.Source{Name: name, Text: text, Files: r.sub(path.Dir(x.File)), Root: r.root}, same, true
	}
	src = nginxconf.Source{Name: r.path, Text: []byte(x.Text), Files: r.fsys, Root: r.root}
	if n.Style&yaml.LiteralStyle != 0 {
		src.Line, src.Col = blockStart(r.src, n)
		last := n.Line + strings.Count(strings.TrimRight(x.Text, "\n"), "\n") + 1
		return src, func(p nginxconf.Pos) nginxconf.Pos {
			if p.File == r.path && p.Line > last {
				// The end of the text is the end of its last line, not a place in
				// whatever follows the block.
				p.Line, p.Col = last, len(lineOf(r.src, last))+1
			}
			return p
		}, true
	}
	a := newAligner(r.path, r.src, n)
	return src, func(p nginxconf.Pos) nginxconf.Pos {
		if p.File != r.path {
			return p
		}
		return a.pos(x.Text, p)
	}, true
}

// files are those that a configuration reads and that lie beside it or beside the
// scenario. One that is too big, or can't be read, isn't there.
func (r *resolver) files(tree *nginxconf.Tree, beside fs.FS) map[string][]byte {
	var out map[string][]byte
	for _, u := range tree.FilesRead() {
		for _, folder := range []fs.FS{beside, r.fsys} {
			found := nginxconf.Beside(folder, u.Path)
			if out[u.Path] != nil || len(found) != 1 {
				continue
			}
			if text, err := read(folder, found[0]); err == nil && len(text) <= MaxSize {
				if out == nil {
					out = map[string][]byte{}
				}
				out[u.Path] = text
			}
		}
	}
	return out
}

// companion reads a file beside the scenario.
func (r *resolver) companion(name string) ([]byte, error) {
	if path.IsAbs(name) || !fs.ValidPath(path.Clean(name)) || strings.Contains(name, `\`) {
		return nil, fmt.Errorf("want a file in the scenario's folder, written with /")
	}
	if r.fsys == nil {
		return nil, fmt.Errorf("there are no files here")
	}
	text, err := read(r.fsys, path.Clean(name))
	if err != nil {
		return nil, fmt.Errorf("%s", unreadable(name, err).Text)
	}
	if len(text) > MaxSize {
		return nil, fmt.Errorf("the file has more than 1 MiB")
	}
	return text, nil
}

// sub is the folder that a configuration's relative includes are read from.
func (r *resolver) sub(dir string) fs.FS {
	if dir == "." || r.fsys == nil {
		return r.fsys
	}
	sub, err := fs.Sub(r.fsys, path.Clean(dir))
	if err != nil {
		return nil
	}
	return sub
}
