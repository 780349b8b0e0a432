package nginxconf

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/variable"
	"testing/fstest"
)

// seeds are the configurations of the golden files.
func seeds(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.txt")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(text), "\n=== ")[1:] {
			_, rest, _ := strings.Cut(c, "\n")
			in, _, _ := strings.Cut(rest, "\n----")
			f.Add([]byte(in))
		}
	}
}

// included are the files that a fuzzed configuration may include.
var included = fstest.MapFS{
	"a":      {Data: []byte("gzip on;")},
	"b.conf": {Data: []byte("server { include a; }")},
	"loop":   {Data: []byte("include loop;")},
	"broken": {Data: []byte("server { } } \"")},
}

// FuzzParse: no input makes the parser panic, lose a byte, or give spans that
// aren't ordered, nested and what they say they are.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		tree, ps := Parse("x.conf", src, included)
		if !bytes.Equal(tree.Bytes(), src) {
			t.Fatalf("put together again it is %q", tree.Bytes())
		}
		checkSpans(t, src, Span{0, len(src)}, tree.Directives)
		for _, p := range ps {
			if p.Text == "" || p.Pos.Line < 1 || p.Pos.Col < 1 {
				t.Errorf("problem %+v", p)
			}
		}
		if len(ps) > maxProblems+1 {
			t.Errorf("%d problems", len(ps))
		}
	})
}

// checkSpans checks the spans of one level, which lies in outer.
func checkSpans(t *testing.T, src []byte, outer Span, ds []*Directive) {
	t.Helper()
	at := outer.Start
	inOrder := func(what string, s, in Span) {
		if s.Start < at || s.End < s.Start || s.End > in.End {
			t.Fatalf("%s %v is not in order: after %d, in %v", what, s, at, in)
		}
	}
	for _, d := range ds {
		inOrder("directive", d.Span, outer)
		at = d.Span.Start
		for i, w := range append([]Word{d.Name}, d.Args...) {
			inOrder("word", w.Span, d.Span)
			at = w.Span.End
			relex(t, src[w.Span.Start:w.Span.End], w.Text, i == 0 && d.Block != nil)
		}
		if d.Block != nil {
			inOrder("block", d.Block.Span, d.Span)
			if src[d.Block.Span.Start] != '{' || !d.Broken && src[d.Block.Span.End-1] != '}' {
				t.Fatalf("block %q", src[d.Block.Span.Start:d.Block.Span.End])
			}
			inner := Span{d.Block.Span.Start + 1, d.Block.Span.End}
			if !d.Broken {
				inner.End--
			}
			checkSpans(t, src, inner, d.Block.Directives)
		} else if !d.Broken && src[d.Span.End-1] != ';' {
			t.Fatalf("directive %q", src[d.Span.Start:d.Span.End])
		}
		at = d.Span.End
	}
}

// relex checks that a word's bytes alone are read as the same word.
func relex(t *testing.T, raw []byte, text string, nameless bool) {
	t.Helper()
	if nameless && len(raw) == 0 {
		return
	}
	again, ps := Parse("word", append(slices.Clone(raw), ";"...), nil)
	if len(ps) > 0 || len(again.Directives) != 1 || len(again.Directives[0].Args) > 0 || again.Directives[0].Name.Text != text {
		t.Fatalf("%q is %q, read again it is %+v %v", raw, text, again.Directives, ps)
	}
}

// FuzzInterpret: no input makes the interpreter or the renderer panic. What is
// accepted can be rendered, and the rendered text means the same with other
// addresses.
func FuzzInterpret(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		tree, ps := Parse("x.conf", src, included)
		cfg, more := Interpret(tree)
		for _, p := range []string{"/", "/a/b?x", "/%2e%2e/..", "x"} {
			s, _ := cfg.Route("", p)
			if s == nil {
				continue
			}
			s = cfg.Port(s.Listens[0].Address).Server("a.com")
			var w Way
			step := w.Begin(cfg, s, &variable.Request{Method: "POST", Target: p, Host: "a.com"}, 1)
			for n := 0; step.Pass != nil; n++ {
				if step.URI == "" || step.Pass.Upstream == nil {
					t.Fatalf("%s: passed on as %q to %v", p, step.URI, step.Pass.Upstream)
				}
				step.Pass.SetHeaders(&w, func(string, string) {})
				w.Added(w.Status(200), func(string, string) {})
				if n > 2*maxChanges {
					t.Fatalf("%s: no end", p)
				}
				step = w.Fail(502)
			}
		}
		o := standIns(tree, cfg)
		r, err := Render(tree, o)
		if len(ps)+len(more) > 0 {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for n := range bytes.Count(r.Text, []byte("\n")) {
			r.Pos(n)
		}
		again, ps := Parse("y.conf", r.Text, nil)
		cfg2, more := Interpret(again)
		if ps = append(ps, more...); len(ps) > 0 {
			t.Fatalf("rendered it is broken: %v\n%s", ps, r.Text)
		}
		a, b := shape(cfg, o), shape(cfg2, RenderOptions{})
		if a != b {
			t.Fatalf("it means\n%s\nrendered\n%s\n%s", a, b, r.Text)
		}
	})
}

// shape is what a configuration means, with the addresses of o.
func shape(c *Config, o RenderOptions) string {
	var b strings.Builder
	name := func(m map[string]string, s string) string {
		if to, ok := m[s]; ok {
			return to
		}
		return s
	}
	fmt.Fprintln(&b, c.WorkerProcesses)
	for _, u := range c.Upstreams {
		fmt.Fprintln(&b, "upstream", name(o.Backends, u.Name), u.Zone, u.Keepalive)
		for _, s := range u.Servers {
			s.Name = name(o.Backends, s.Name)
			fmt.Fprintf(&b, "  %+v\n", s)
		}
	}
	for _, s := range c.Servers {
		fmt.Fprintln(&b, "server", len(s.Listens), s.Names, s.own.Return)
		for _, l := range s.Locations {
			fmt.Fprintln(&b, " ", l.Exact, l.Path, l.Return)
			if l.Pass != nil {
				p := *l.Pass
				p.Upstream, p.Headers, p.method, p.body, p.responses, p.dynamic, p.to = nil, nil, nil, nil, nil, nil, nil
				fmt.Fprintf(&b, "    %+v\n", p)
			}
		}
	}
	return b.String()
}
