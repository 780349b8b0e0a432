package scenario

import (
	"reflect"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/scenario/internal/bind"
	"github.com/nolive/nolive/harness/scenario/internal/form"
)

// bindLatency takes a duration, a range of them, or a mapping that says how a
// time is drawn.
func bindLatency(b *bind.Binder, what string, n *yaml.Node, v reflect.Value) {
	l := v.Addr().Interface().(*fault.Latency)
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) > 0:
		b.Fields(what, n, v)
	case n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null":
		b.Want(n, what, "", "a duration such as 60s, a range such as 10ms..50ms, or a mapping such as {median: 20ms, p99: 2s}")
	default:
		var i form.Interval
		b.Value(what, n, reflect.ValueOf(&i).Elem())
		if i.Lo == i.Hi {
			*l = fault.For(i.Lo)
		} else {
			*l = fault.Latency{Min: i.Lo, Max: i.Hi}
		}
	}
}
