package scenario

import (
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario/internal/bind"
)

// bindHeaders takes a mapping from a header's name to its value, or to a list of
// values for one that is repeated.
func bindHeaders(b *bind.Binder, what string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		b.Want(n, what, "", "a mapping from a header's name to its value")
		return
	}
	var out []fault.Header
	one := func(k, c *yaml.Node) {
		switch {
		case c.Kind != yaml.ScalarNode || c.ShortTag() == "!!null":
			b.Want(c, k.Value, "", "a header's value")
		case strings.ContainsAny(c.Value, "\r\n\x00"):
			b.Errorf(c, "%s: a header's value is one line", k.Value)
		default:
			out = append(out, fault.Header{Name: k.Value, Value: c.Value})
		}
	}
	bind.Pairs(n, func(k, c *yaml.Node) {
		switch {
		case !fault.IsToken(k.Value):
			b.Errorf(k, "%s: %q is no header's name", what, short(k.Value))
		case http.CanonicalHeaderKey(k.Value) == event.RequestHeader:
			b.Errorf(k, "%s: %s is the header that requests are told apart by", what, event.RequestHeader)
		case c.Kind == yaml.SequenceNode:
			for _, e := range c.Content {
				one(k, e)
			}
		default:
			one(k, c)
		}
	})
	v.Set(reflect.ValueOf(out).Convert(v.Type()))
}

var looseSize = regexp.MustCompile(`^([0-9]+)\s*([kmgKMG])[iI]?[bB]?$`)

// bindSize takes a size, with a hint for 10kb and the like.
func bindSize(b *bind.Binder, what string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.ScalarNode {
		b.Want(n, what, "", "a size such as 10KiB")
		return
	}
	if err := v.Addr().Interface().(*fault.Size).UnmarshalText([]byte(n.Value)); err != nil {
		hint := ""
		if m := looseSize.FindStringSubmatch(n.Value); m != nil {
			hint = m[1] + strings.ToUpper(m[2]) + "iB"
		}
		b.Hintf(n, hint, "%s: %v", what, err)
	}
}
