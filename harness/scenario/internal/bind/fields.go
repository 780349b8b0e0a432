package bind

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// field is one key of a struct.
type field struct {
	name  string
	index []int
	// rules are the parts of the jsonschema tag.
	rules []string
}

func (f *field) has(rule string) bool {
	for _, r := range f.rules {
		if r == rule {
			return true
		}
	}
	return false
}

// fieldsOf lists a struct's keys in order, those of inlined structs in place.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		sf := t.Field(i)
		name, opts, _ := strings.Cut(sf.Tag.Get("yaml"), ",")
		switch {
		case opts == "inline":
			for _, f := range fieldsOf(sf.Type) {
				f.index = append([]int{i}, f.index...)
				out = append(out, f)
			}
		case name == "-" || !sf.IsExported():
		default:
			if name == "" {
				name = strings.ToLower(sf.Name)
			}
			out = append(out, field{name, []int{i}, strings.Split(sf.Tag.Get("jsonschema"), ",")})
		}
	}
	return out
}

// Keys calls f for each key of an addressable struct.
func Keys(v reflect.Value, f func(key string, v reflect.Value)) {
	for _, k := range fieldsOf(v.Type()) {
		f(k.name, v.FieldByIndex(k.index))
	}
}

func (b *Binder) structure(what string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		b.Want(n, what, "", "a mapping")
		return
	}
	fields := fieldsOf(v.Type())
	byName := make(map[string]*field, len(fields))
	names := make([]string, len(fields))
	for i := range fields {
		byName[fields[i].name], names[i] = &fields[i], fields[i].name
	}
	given := map[string]bool{}
	merged := false
	Pairs(n, func(k, c *yaml.Node) {
		if k.ShortTag() == "!!merge" {
			merged = true // reported by Parse; what it brings isn't known
			return
		}
		f := byName[k.Value]
		if f == nil {
			hint, known := Nearest(k.Value, names), ""
			if word := b.Words[k.Value]; hint == "" && byName[word] != nil {
				hint = word
			}
			if hint == "" {
				hint = inside(k.Value, v.Type(), fields)
			}
			if hint == "" {
				if known = "; there are "; len(names) == 1 {
					known = "; there is "
				}
				known += strings.Join(names, ", ")
			}
			b.Hintf(k, hint, "%sunknown key %s%s", prefix(what), quote(k.Value), known)
			given[hint] = true
			return
		}
		given[f.name] = true
		fv := v.FieldByIndex(f.index)
		b.Value(f.name, c, fv)
		b.note(k, c, fv)
		b.limits(f, c, fv)
	})
	for i := range fields {
		if f := &fields[i]; f.has("required") && !given[f.name] && !merged {
			b.Errorf(n, "%s%s is missing", prefix(what), f.name)
		}
	}
}

// inside looks for a key in the mappings one level down.
func inside(key string, t reflect.Type, fields []field) string {
	for _, f := range fields {
		ft := t.FieldByIndex(f.index).Type
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		shape := "%s: {%s: ...}"
		if ft.Kind() == reflect.Slice {
			shape, ft = "%s: [{%s: ...}]", ft.Elem()
		}
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		if ft.Kind() == reflect.Struct && !reflect.PointerTo(ft).Implements(textType) {
			for _, g := range fieldsOf(ft) {
				if g.name == key {
					return fmt.Sprintf(shape, f.name, key)
				}
			}
		}
	}
	return ""
}

// limits holds the enum, minimum and maximum of a field's tag.
func (b *Binder) limits(f *field, n *yaml.Node, v reflect.Value) {
	if n.Kind == yaml.SequenceNode && v.Kind() == reflect.Slice {
		for i := range min(v.Len(), len(n.Content)) {
			b.limits(f, n.Content[i], v.Index(i))
		}
		return
	}
	if n.Kind != yaml.ScalarNode || isNull(n) {
		return
	}
	var enum []string
	for _, r := range f.rules {
		name, arg, _ := strings.Cut(r, "=")
		switch name {
		case "enum":
			enum = append(enum, arg)
		case "minimum", "maximum":
			limit, err := strconv.ParseFloat(arg, 64)
			x, ok := asFloat(v)
			if err != nil || !ok || len(b.At(n)) > 0 {
				continue
			}
			if name == "minimum" && x < limit {
				b.Errorf(n, "%s: want at least %s, got %s", f.name, arg, n.Value)
			} else if name == "maximum" && x > limit {
				b.Errorf(n, "%s: want at most %s, got %s", f.name, arg, n.Value)
			}
		}
	}
	if enum == nil {
		return
	}
	for _, e := range enum {
		if e == n.Value {
			return
		}
	}
	b.Hintf(n, Nearest(n.Value, enum), "%s: want one of %s, got %s", f.name, strings.Join(enum, ", "), quote(n.Value))
}

func asFloat(v reflect.Value) (float64, bool) {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}
