package scenario

import (
	"math"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
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

var looseSize = regexp.MustCompile(`(?i)^([0-9]+(?:\.[0-9]+)?)\s*([kmg]?)(?:i?b|(?:ilo|ega|iga)?bytes?)?$`)

// sizeHint is the size that was probably meant, "" for none.
func sizeHint(text string) string {
	m := looseSize.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	n, err := strconv.ParseFloat(m[1], 64)
	units := []string{"", "KiB", "MiB", "GiB"}
	unit := 0
	for i, u := range units {
		if m[2] != "" && strings.EqualFold(m[2], u[:min(len(u), 1)]) {
			unit = i
		}
	}
	// A fraction is a whole number of a smaller unit, mostly.
	for ; unit > 0 && n != math.Trunc(n); unit-- {
		n *= 1024
	}
	if err != nil || n != math.Trunc(n) || n > 1<<40 {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + units[unit]
}

// bindSize takes a size, with a hint for 10kb and the like.
func bindSize(b *bind.Binder, what string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.ScalarNode {
		b.Want(n, what, "", "a size such as 10KiB")
		return
	}
	if err := v.Addr().Interface().(*fault.Size).UnmarshalText([]byte(n.Value)); err != nil {
		b.Hintf(n, sizeHint(n.Value), "%s: %v", what, err)
	}
}
