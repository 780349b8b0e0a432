package bind

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

func node(t *testing.T, src string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Load([]byte(src), &n); err != nil {
		t.Fatal(err)
	}
	return n.Content[0]
}

func flow(t *testing.T, n *yaml.Node) string {
	t.Helper()
	var b strings.Builder
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		open, end := "", n.Value
		switch n.Kind {
		case yaml.MappingNode:
			open, end = "{", "}"
		case yaml.SequenceNode:
			open, end = "[", "]"
		}
		b.WriteString(open)
		for i, c := range n.Content {
			if i > 0 {
				b.WriteString(map[bool]string{true: ": ", false: ", "}[n.Kind == yaml.MappingNode && i%2 == 1])
			}
			walk(c)
		}
		b.WriteString(end)
	}
	walk(n)
	return b.String()
}

func TestMerge(t *testing.T) {
	for _, c := range []struct{ name, base, over, want string }{
		{"nothing", "{a: 1}", "{}", "{a: 1}"},
		{"a new key comes last", "{a: 1}", "{b: 2}", "{a: 1, b: 2}"},
		{"a value is replaced in place", "{a: 1, b: 2}", "{a: 3}", "{a: 3, b: 2}"},
		{"mappings merge at every depth", "{a: {b: {c: 1, d: 2}, e: 3}}", "{a: {b: {d: 4}}}", "{a: {b: {c: 1, d: 4}, e: 3}}"},
		{"a list is replaced", "{a: [1, 2]}", "{a: [3]}", "{a: [3]}"},
		{"null drops", "{a: 1, b: {c: 2, d: 3}}", "{a: null, b: {c: ~}}", "{b: {d: 3}}"},
		{"null for what isn't there stays, to be reported", "{a: 1}", "{b: null}", "{a: 1, b: null}"},
		{"text replaces a mapping", "{a: {file: x}}", "{a: text}", "{a: text}"},
		{"a mapping replaces text", "{a: text}", "{a: {file: x}}", "{a: {file: x}}"},
	} {
		base, over := node(t, c.base), node(t, c.over)
		if got := flow(t, Merge(base, over)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if flow(t, base) != flow(t, node(t, c.base)) || flow(t, over) != flow(t, node(t, c.over)) {
			t.Errorf("%s: an argument was changed", c.name)
		}
	}
}

func TestMergedNodesKeepTheirPlaces(t *testing.T) {
	over := node(t, "\n\n  a: {c: 2}")
	n := Merge(node(t, "a: {b: 1}"), over)
	_, a := Get(n, "a")
	if _, b := Get(a, "b"); b.Line != 1 || b.Column != 8 {
		t.Errorf("b is at %d:%d", b.Line, b.Column)
	}
	if _, c := Get(a, "c"); c.Line != 3 || c.Column != 10 {
		t.Errorf("c is at %d:%d", c.Line, c.Column)
	}
}
