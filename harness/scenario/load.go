package scenario

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/harness/scenario/internal/bind"
	"github.com/nolive/nolive/harness/scenario/internal/form"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// Limits of a file: a scenario is written by a person.
const (
	// MaxSize is the largest scenario, or configuration that it names, in bytes.
	MaxSize = 1 << 20
	// MaxVariants is how many variants a file may have.
	MaxVariants = 32
	// maxNodes is how many keys and values a file may have.
	maxNodes = 100_000
)

// LoadFile reads a scenario file. With fsys nil name is a file on disk, and other
// files are read from its folder only, but for what the nginx configuration
// includes by an absolute path, as a production configuration does; otherwise
// name lies in fsys, and nothing else is read. With any problem the File is nil.
func LoadFile(name string, fsys fs.FS) (*File, Problems) {
	base := name
	var root fs.FS
	if fsys == nil {
		folder, err := os.OpenRoot(filepath.Dir(name))
		if err != nil {
			return nil, Problems{unreadable(name, err)}
		}
		defer folder.Close()
		fsys, base, root = folder.FS(), filepath.Base(name), os.DirFS("/")
	} else if dir := path.Dir(name); dir != "." {
		sub, err := fs.Sub(fsys, dir)
		if err != nil {
			return nil, Problems{unreadable(name, err)}
		}
		fsys, base = sub, path.Base(name)
	}
	src, err := read(fsys, base)
	if err != nil {
		return nil, Problems{unreadable(name, err)}
	}
	return (&loader{path: name, src: src, fsys: fsys, root: root}).load()
}

// Parse parses a scenario. name is its file's name for messages; the files that
// it names are read from fsys, the scenario's folder, which may be nil. With any
// problem the File is nil.
func Parse(name string, src []byte, fsys fs.FS) (*File, Problems) {
	return (&loader{path: name, src: src, fsys: fsys}).load()
}

// load parses the file, or says what is wrong with it.
func (l *loader) load() (*File, Problems) {
	if len(l.src) > MaxSize {
		l.at(1, 1, "", fmt.Sprintf("the file has more than %d bytes; a scenario is at most 1 MiB", MaxSize))
		return nil, l.problems
	}
	f := l.file()
	if len(l.problems) > 0 {
		return nil, l.problems.sort(l.path)
	}
	f.Warnings = l.warnings.sort(l.path)
	return f, nil
}

// loader is what the scenarios of one file share.
type loader struct {
	path     string
	src      []byte
	fsys     fs.FS
	root     fs.FS // of absolute includes in nginx configurations, nil for none
	problems Problems
	warnings Problems
	// known are the mistakes of the base scenario, which a variant inherits.
	known map[Problem]bool
	// configs are interpreted configurations by their node and version, so that a
	// variant that inherits one doesn't parse it again.
	configs map[configKey]*config
}

var scenarioName = regexp.MustCompile(`^[a-z0-9]+([-_][a-z0-9]+)*$`)

func (l *loader) file() *File {
	f := &File{Path: l.path, Source: l.src}
	var ps bind.Problems
	root := bind.Parse(l.src, &ps)
	if root != nil && bind.Count(root, maxNodes) > maxNodes {
		ps.Add(bind.Problem{Line: 1, Col: 1, Text: fmt.Sprintf("the file has more than %d keys and values", maxNodes)})
		root = nil
	}
	l.take(&ps, "")
	if root == nil {
		return f
	}
	_, variants := bind.Get(root, "variants")
	base := bind.Without(root, "variants")

	var file form.File
	b := newBinder()
	bind.Bind(b, base, &file)
	if n := bind.Node(b, &file.Name); n != nil && len(b.At(n)) == 0 && !scenarioName.MatchString(file.Name) {
		b.Hintf(n, slug(file.Name), "name: want lower-case words with hyphens, got %q", short(file.Name))
	}
	f.Scenarios = append(f.Scenarios, l.scenario(b, &file.Scenario, file.Name, ""))

	if variants == nil {
		return f
	}
	b = newBinder()
	if variants.Kind != yaml.MappingNode {
		b.Want(variants, "variants", "", "a mapping from a name to what differs")
	}
	n := 0
	inherited := bind.Without(base, "name")
	bind.Pairs(variants, func(k, v *yaml.Node) {
		switch n++; {
		case n > MaxVariants:
			if n == MaxVariants+1 {
				b.Errorf(k, "more than %d variants", MaxVariants)
			}
		case !scenarioName.MatchString(k.Value):
			b.Hintf(k, slug(k.Value), "variant: want lower-case words with hyphens as its name, got %q", short(k.Value))
		case v.Kind != yaml.MappingNode || len(v.Content) == 0:
			b.Errorf(k, "variant %s gives nothing that differs", k.Value)
		default:
			vb := newBinder()
			var s form.Scenario
			bind.Bind(vb, bind.Merge(inherited, spelt(vb, base, v)), &s)
			f.Scenarios = append(f.Scenarios, l.scenario(vb, &s, file.Name, k.Value))
		}
	})
	l.take(&b.Problems, "")
	return f
}

// spelt is a variant without traffic that nobody can mean: one that the base hasn't
// and that gives no request is a name with a mistake in it.
func spelt(b *bind.Binder, base, v *yaml.Node) *yaml.Node {
	_, own := bind.Get(v, "traffic")
	_, there := bind.Get(base, "traffic")
	if own == nil || there == nil || own.Kind != yaml.MappingNode || there.Kind != yaml.MappingNode {
		return v
	}
	var names []string
	bind.Pairs(there, func(k, _ *yaml.Node) { names = append(names, k.Value) })
	traffic := own
	bind.Pairs(own, func(k, t *yaml.Node) {
		if t.Kind != yaml.MappingNode || slices.Contains(names, k.Value) {
			return
		}
		if _, request := bind.Get(t, "request"); request != nil {
			return
		}
		b.Hintf(k, bind.Nearest(k.Value, names), "there is no traffic %q to change, and a new one needs a request; there is %s", short(k.Value), listing(names))
		traffic = bind.Without(traffic, k.Value)
	})
	if traffic == own {
		return v
	}
	out := *bind.Without(v, "traffic")
	if len(traffic.Content) > 0 {
		out.Content = append(out.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "traffic", Line: own.Line, Column: own.Column}, traffic)
	}
	return &out
}

// slug is a name made of a text, "" when nothing of it can be one.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_')
	})
	if out := strings.Join(words, "-"); scenarioName.MatchString(out) && len(out) < 60 {
		return out
	}
	return ""
}

// warn notes what is allowed but probably not meant.
func (r *resolver) warn(p Problem) {
	if slices.Contains(r.warnings, p) {
		return // the base scenario has it too
	}
	p.Variant = r.s.Variant
	r.loader.warnings = append(r.warnings, p)
}

// scenario resolves one bound scenario and takes its mistakes.
func (l *loader) scenario(b *bind.Binder, form *form.Scenario, name, variant string) *Scenario {
	r := &resolver{loader: l, b: b, form: form, s: &Scenario{Name: name, Variant: variant}}
	r.resolve()
	l.take(&b.Problems, variant)
	return r.s
}

// take moves a binder's mistakes over. What the base has too isn't a variant's.
func (l *loader) take(ps *bind.Problems, variant string) {
	for _, p := range ps.List() {
		l.add(Problem{Pos: l.pos(p.Line, p.Col), Text: p.Text, Hint: meant(p.Hint)}, variant)
	}
	if ps.More() {
		l.add(Problem{Pos: l.pos(1, 1), Text: fmt.Sprintf("more than %d mistakes; the rest isn't shown", bind.MaxProblems)}, variant)
	}
}

func (l *loader) add(p Problem, variant string) {
	if l.known[p] {
		return
	}
	if variant == "" {
		if l.known == nil {
			l.known = map[Problem]bool{}
		}
		l.known[p] = true
	}
	p.Variant = variant
	l.problems = append(l.problems, p)
}

func (l *loader) at(line, col int, variant, text string) {
	l.add(Problem{Pos: l.pos(line, col), Text: text}, variant)
}

// pos turns YAML's position, whose columns count characters, into one whose
// columns count bytes, as those of a configuration do.
func (l *loader) pos(line, col int) nginxconf.Pos {
	return nginxconf.Pos{File: l.path, Line: line, Col: byteCol(l.src, line, col)}
}

func meant(hint string) string {
	if hint == "" {
		return ""
	}
	if !strings.Contains(hint, `"`) {
		hint = `"` + hint + `"`
	}
	return "did you mean " + hint + "?"
}

func unreadable(name string, err error) Problem {
	text := err.Error()
	var pe *fs.PathError
	if errors.As(err, &pe) {
		text = pe.Err.Error()
	}
	if errors.Is(err, fs.ErrNotExist) {
		text = "no such file"
	}
	return Problem{Pos: nginxconf.Pos{File: name}, Text: text}
}

// read reads a file up to one byte more than MaxSize.
func read(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil {
		return nil, err
	} else if st.IsDir() {
		return nil, errors.New("is a folder")
	}
	return io.ReadAll(io.LimitReader(f, MaxSize+1))
}
