package bind

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v4"
)

// Func binds a node to a value of one type in a way of its own; what names the
// value in messages.
type Func func(b *Binder, what string, n *yaml.Node, v reflect.Value)

// Binder binds nodes to values and remembers which node every value came from.
//
// A struct's keys are its fields' yaml tags, "inline" included. Of jsonschema
// tags it heeds required, enum, minimum and maximum, so that the generated
// schema and the loader can't differ in these.
type Binder struct {
	Problems
	// Custom binds these types.
	Custom map[reflect.Type]Func
	// Words are other words that people have for a key.
	Words map[string]string

	keys, values map[any]*yaml.Node
}

// Bind fills into, which must not move afterwards, from a node.
func Bind[T any](b *Binder, n *yaml.Node, into *T) {
	b.Value("", n, reflect.ValueOf(into).Elem())
}

// Node is the node that a bound value came from, nil if it wasn't given.
func Node[T any](b *Binder, v *T) *yaml.Node { return b.values[v] }

// Key is the node of the key that a bound value stands behind, else its own.
func Key[T any](b *Binder, v *T) *yaml.Node {
	if k := b.keys[v]; k != nil {
		return k
	}
	return b.values[v]
}

// NodeOf is Node for an addressable reflected value.
func (b *Binder) NodeOf(v reflect.Value) *yaml.Node { return b.values[v.Addr().Interface()] }

// Errorf notes a mistake at a node.
func (b *Binder) Errorf(n *yaml.Node, format string, args ...any) {
	b.Hintf(n, "", format, args...)
}

// Hintf notes a mistake at a node and what was probably meant.
func (b *Binder) Hintf(n *yaml.Node, hint, format string, args ...any) {
	b.Add(Problem{Line: n.Line, Col: n.Column, Text: fmt.Sprintf(format, args...), Hint: hint})
}

// Want notes that what isn't of the type it should be.
func (b *Binder) Want(n *yaml.Node, what, hint, want string) {
	b.Hintf(n, hint, "%swant %s, got %s", prefix(what), want, Describe(n))
}

func prefix(what string) string {
	if what == "" {
		return ""
	}
	return what + ": "
}

// Value fills an addressable value; what names it in messages.
func (b *Binder) Value(what string, n *yaml.Node, v reflect.Value) {
	b.note(nil, n, v)
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		b.Value(what, n, v.Elem())
		return
	}
	switch f := b.Custom[v.Type()]; {
	case n.Kind == yaml.AliasNode: // reported by Parse
	case f != nil:
		f(b, what, n, v)
	case isNull(n):
		b.Errorf(n, "%s is empty; give it a value or leave it out", orValue(what))
	case v.Kind() == reflect.Struct && !isText(v):
		b.structure(what, n, v)
	case v.Kind() == reflect.Map:
		b.mapping(what, n, v)
	case v.Kind() == reflect.Slice && !isText(v):
		b.sequence(what, n, v)
	default:
		b.scalar(what, n, v)
	}
}

// Fields fills a struct from a mapping by its own keys, for a Func that takes
// other forms of the same type too.
func (b *Binder) Fields(what string, n *yaml.Node, v reflect.Value) { b.structure(what, n, v) }

func orValue(what string) string {
	if what == "" {
		return "this"
	}
	return what
}

func (b *Binder) note(key, n *yaml.Node, v reflect.Value) {
	if b.values == nil {
		b.keys, b.values = map[any]*yaml.Node{}, map[any]*yaml.Node{}
	}
	p := v.Addr().Interface()
	if key != nil {
		b.keys[p] = key
		return
	}
	b.values[p] = n
}

func (b *Binder) sequence(what string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		b.Want(n, what, "", "a list")
		return
	}
	// Made in one piece: its elements must not move.
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, c := range n.Content {
		b.Value(what, c, v.Index(i))
	}
}

// mapping binds a map from string to pointers, so that its values don't move.
func (b *Binder) mapping(what string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		b.Want(n, what, "", "a mapping")
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	Pairs(n, func(k, c *yaml.Node) {
		e := reflect.New(v.Type().Elem()).Elem()
		b.Value(k.Value, c, e)
		if e.Kind() == reflect.Pointer {
			b.note(k, c, e.Elem())
		}
		v.SetMapIndex(reflect.ValueOf(k.Value).Convert(v.Type().Key()), e)
	})
}

// Pairs calls f for each key of a mapping, for a repeated one only the first time.
func Pairs(n *yaml.Node, f func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && !seen[k.Value] {
			seen[k.Value] = true
			f(k, n.Content[i+1])
		}
	}
}

// Alias notes a value as coming from a node; for a Func that filled it in
// itself.
func (b *Binder) Alias(n *yaml.Node, v reflect.Value) {
	if b.NodeOf(v) == nil {
		b.note(nil, n, v)
	}
}
