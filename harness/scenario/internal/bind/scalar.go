package bind

import (
	"encoding"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

var (
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
	durationType = reflect.TypeFor[time.Duration]()
)

func isText(v reflect.Value) bool { return v.Addr().Type().Implements(textType) }

// Hinter is an error that knows what was probably meant.
type Hinter interface {
	error
	Hint() string
}

// Listless is a value that people write a list for, and what they write instead.
type Listless interface{ ForList() string }

// instead is what to write where a single value is wanted and a list is given.
func (b *Binder) instead(v reflect.Value, n *yaml.Node) string {
	if l, ok := v.Interface().(Listless); ok && n.Kind == yaml.SequenceNode {
		return " (" + l.ForList() + ")"
	}
	return ""
}

func (b *Binder) scalar(what string, n *yaml.Node, v reflect.Value) {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if n.Kind != yaml.ScalarNode {
			b.Want(n, what, "", "a single value"+b.instead(v, n))
		} else if err := u.UnmarshalText([]byte(n.Value)); err != nil {
			b.Hintf(n, hintOf(err), "%s%v", prefix(what), err)
		}
		return
	}
	tag := ""
	if n.Kind == yaml.ScalarNode {
		tag = n.ShortTag()
	}
	switch {
	case v.Type() == durationType:
		b.duration(what, n, v)
	case v.Kind() == reflect.String:
		switch tag {
		case "!!str":
			v.SetString(n.Value)
		case "!!int", "!!float", "!!bool", "!!timestamp":
			b.Want(n, what, strconv.Quote(n.Value), "text")
		default:
			b.Want(n, what, "", "text")
		}
	case v.Kind() == reflect.Bool:
		if tag != "!!bool" {
			b.Want(n, what, booleans[n.Value], "true or false")
			return
		}
		v.SetBool(n.Value == "true" || n.Value == "True" || n.Value == "TRUE")
	case v.CanInt():
		b.integer(what, n, tag, func() error {
			i, err := strconv.ParseInt(n.Value, 10, v.Type().Bits())
			v.SetInt(i)
			return err
		})
	case v.CanUint():
		b.integer(what, n, tag, func() error {
			i, err := strconv.ParseUint(n.Value, 10, v.Type().Bits())
			v.SetUint(i)
			return err
		})
	case v.CanFloat():
		f, err := strconv.ParseFloat(n.Value, 64)
		if tag != "!!int" && tag != "!!float" || err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			b.Want(n, what, "", "a number")
			return
		}
		v.SetFloat(f)
	default:
		b.Errorf(n, "%scan't be given in a scenario", prefix(what))
	}
}

// booleans are the words that YAML 1.1 took for true and false.
var booleans = map[string]string{
	"yes": "true", "Yes": "true", "on": "true", "On": "true", "y": "true",
	"no": "false", "No": "false", "off": "false", "Off": "false", "n": "false",
}

func (b *Binder) integer(what string, n *yaml.Node, tag string, set func() error) {
	if tag != "!!int" {
		hint := ""
		if _, err := strconv.ParseUint(n.Value, 10, 64); err == nil && tag == "!!str" {
			hint = n.Value + " without quotes"
		}
		b.Want(n, what, hint, "a whole number")
		return
	}
	if err := set(); errors.Is(err, strconv.ErrRange) {
		b.Errorf(n, "%s%s is too big a number", prefix(what), n.Value)
	} else if err != nil && strings.HasPrefix(n.Value, "-") {
		b.Want(n, what, "", "a whole number from 0")
	} else if err != nil {
		b.Want(n, what, "", "a whole number, in decimal")
	}
}

func (b *Binder) duration(what string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.ScalarNode {
		b.Want(n, what, "", "a duration such as 60s")
		return
	}
	d, hint, err := Duration(n.Value)
	if err != nil {
		b.Hintf(n, hint, "%s%v", prefix(what), err)
		return
	}
	v.SetInt(int64(d))
}

func hintOf(err error) string {
	var h Hinter
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}
