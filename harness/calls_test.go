package harness_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// calls are names of imported packages that some packages may not use.
var calls = []struct {
	from  []string
	of    string
	names []string
	why   string
}{
	{append([]string{"harness/sim", "harness/report", "harness/match", "proxy/nginxconf"}, pure...), "time",
		[]string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Local"},
		"now is an argument: the same input gives the same result at any time of day"},
	{pure, "fmt", []string{"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"}, "pure: it never talks to anybody"},
	{[]string{"proxy/reference", "harness/live"}, "net/http",
		[]string{"Transport", "DefaultTransport", "Client", "DefaultClient", "Get", "Post", "Head", "Server", "ListenAndServe"},
		"http.Transport repeats requests on its own, and what it hides would be missing in the log"},
}

func TestCalls(t *testing.T) {
	for path, p := range parseModule(t) {
		for _, f := range p.files {
			for _, wrong := range wrongCalls(path, p.fset, f) {
				t.Error(wrong)
			}
			if path != "" {
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
						t.Errorf("%v: an init: kinds live in tables, and nothing happens before main", p.fset.Position(fn.Pos()))
					}
				}
			}
		}
	}
}

// wrongCalls are the uses in a file of names that its package may not use.
func wrongCalls(path string, fset *token.FileSet, f *ast.File) []string {
	var wrong []string
	for _, c := range calls {
		if !matches(c.from, path) {
			continue
		}
		name, ok := importedAs(f, c.of)
		if !ok {
			continue
		}
		if name == "." {
			wrong = append(wrong, fmt.Sprintf("%s imports %s as a dot, so its names can't be told", path, c.of))
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name && slices.Contains(c.names, s.Sel.Name) {
				wrong = append(wrong, fmt.Sprintf("%v: %s.%s: %s", fset.Position(s.Pos()), c.of, s.Sel.Name, c.why))
			}
			return true
		})
	}
	return wrong
}

// importedAs is the name that a file has for an import.
func importedAs(f *ast.File, path string) (string, bool) {
	for _, i := range f.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err != nil || p != path {
			continue
		}
		if i.Name != nil {
			return i.Name.Name, true
		}
		return path[strings.LastIndexByte(path, '/')+1:], true
	}
	return "", false
}

// parsed is a package's own files, without tests, of every platform.
type parsed struct {
	fset  *token.FileSet
	files []*ast.File
}

func (p *parsed) imports() []string {
	seen := map[string]bool{}
	for _, f := range p.files {
		for _, i := range f.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil {
				seen[path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// parseModule reads every package of the module, by its path within it.
func parseModule(t *testing.T) map[string]*parsed {
	t.Helper()
	t.Chdir("..") // the module's root
	packages := map[string]*parsed{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		base := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go"):
			return nil
		}
		path := filepath.ToSlash(filepath.Dir(name))
		if path == "." {
			path = ""
		}
		p := packages[path]
		if p == nil {
			p = &parsed{fset: token.NewFileSet()}
			packages[path] = p
		}
		f, err := parser.ParseFile(p.fset, name, nil, parser.SkipObjectResolution)
		p.files = append(p.files, f)
		return err
	})
	if err != nil || len(packages) < 10 {
		t.Fatalf("%d packages: %v", len(packages), err)
	}
	return packages
}

// A rule that can't be broken holds nothing.
func TestCallRulesCatch(t *testing.T) {
	for _, c := range []struct{ path, src, want string }{
		{"proxy/upstream", `import "time"; var x = time.Now()`, "x.go:1:35: time.Now: now is an argument"},
		{"harness/check", `import clock "time"; func f() { clock.Sleep(1) }`, "time.Sleep"},
		{"harness/sim", `import "time"; func f() { <-time.After(1) }`, "time.After"},
		{"harness/plan", `import . "time"; var x = Now()`, "as a dot"},
		{"harness/analysis", `import "fmt"; func f() { fmt.Println() }`, "never talks"},
		{"proxy/reference", `import "net/http"; var t http.Transport`, "repeats requests"},
		{"harness/check", `import "time"; var x = time.Second`, ""},
		{"harness/live", `import "time"; var x = time.Now()`, ""},
		{"proxy/reference", `import "net/http"; var t = http.StatusText(200)`, ""},
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "x.go", "package x; "+c.src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(wrongCalls(c.path, fset, f), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.src, got, c.want)
		}
	}
}
