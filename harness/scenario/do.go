package scenario

import (
	"errors"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/scenario/internal/bind"
	"github.com/nolive/nolive/harness/scenario/internal/form"
)

// bindDo takes a fault's name, a mapping with one fault, or a list of steps of
// either form.
func bindDo(b *bind.Binder, what string, n *yaml.Node, v reflect.Value) {
	x := v.Addr().Interface().(*form.Do)
	if n.Kind != yaml.SequenceNode {
		x.Fault, _ = oneFault(b, n)
		if !silent(&x.Fault) || len(b.At(n)) > 0 {
			return
		}
		b.Errorf(n, "do: this ends without an answer; go on with one, as in [{wait: 2s}, respond]")
		return
	}
	var steps []fault.Fault
	whole := true
	for _, c := range n.Content {
		f, ok := oneFault(b, c)
		whole = whole && ok
		steps = append(steps, f)
	}
	if !whole {
		return
	}
	f, err := fault.Compose(steps...)
	if err != nil {
		at := n
		var wrong *fault.StepError
		if errors.As(err, &wrong) {
			at = n.Content[wrong.Step-1]
		}
		b.Errorf(at, "do: %v", err)
		return
	}
	if silent(&f) {
		b.Errorf(n, "do: these steps end without an answer; go on with one, as in [{wait: 2s}, respond]")
	}
	x.Fault = f
}

// silent says whether a fault is a script that neither answers nor ends the
// connection: a wait and nothing after it.
func silent(f *fault.Fault) bool {
	if f.Layer() != fault.OnRequest || len(f.Script.Steps) == 0 {
		return false
	}
	for _, s := range f.Script.Steps {
		switch s.Op {
		case fault.Write, fault.Stall, fault.Close, fault.Reset:
			return false
		}
	}
	return true
}

// oneFault binds one fault; false when there is a mistake in it.
func oneFault(b *bind.Binder, n *yaml.Node) (fault.Fault, bool) {
	before := len(b.List())
	var f fault.Fault
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null":
		if k, ok := faultKind(b, n); ok {
			f = meaning(b, n, nil, k.New())
		}
	case n.Kind == yaml.MappingNode && len(n.Content) == 2:
		name, arg := n.Content[0], n.Content[1]
		if k, ok := faultKind(b, name); ok {
			spec := k.New()
			if bindSpec(b, k.Name, arg, spec) {
				f = meaning(b, name, arg, spec)
			}
		}
	case n.Kind == yaml.MappingNode && len(n.Content) > 2:
		b.Hintf(n.Content[2], beside(n), "do: one fault only; write a list of steps, or another rule")
	case n.Kind != yaml.AliasNode:
		b.Want(n, "do", "", "a fault such as freeze or {status: 503}, or a list of steps")
	}
	return f, len(b.List()) == before
}

// bindSpec fills a spec from what stands behind its name.
func bindSpec(b *bind.Binder, what string, n *yaml.Node, spec fault.Spec) bool {
	before := len(b.List())
	if n.Kind != yaml.ScalarNode {
		b.Value(what, n, reflect.ValueOf(spec).Elem())
	} else if s, ok := spec.(fault.Scalar); !ok && n.ShortTag() != "!!null" {
		b.Want(n, what, "", "a mapping")
	} else if ok && n.ShortTag() != "!!null" {
		if err := s.Scalar(n.Value); err != nil {
			hint := ""
			if what == "wait" {
				_, hint, _ = bind.Duration(n.Value)
			}
			b.Hintf(n, hint, "%v", err)
		}
	}
	return len(b.List()) == before
}

// meaning is what a spec means. Its error begins with the key that is wrong.
func meaning(b *bind.Binder, name, arg *yaml.Node, spec fault.Spec) fault.Fault {
	f, err := spec.Fault()
	if err == nil {
		return f
	}
	at := name
	if arg != nil {
		at = arg
		key, _, _ := strings.Cut(err.Error(), ":")
		if _, v := bind.Get(arg, key); v != nil {
			at = v
		}
	}
	b.Errorf(at, "%s: %s", name.Value, strings.TrimPrefix(err.Error(), name.Value+": "))
	return fault.Fault{}
}

// otherWords are words that people have for a kind of fault.
var otherWords = map[string]string{
	"timeout": "hang", "stall": "hang", "stop": "freeze", "sigstop": "freeze", "pause": "freeze",
	"rst": "reset", "fin": "close", "eof": "close", "disconnect": "close",
	"down": "refuse", "kill": "refuse", "sigkill": "refuse", "restart": "refuse",
	"drain": "shutdown", "sigterm": "shutdown", "terminate": "shutdown", "flap": "refuse", "queue": "workers", "drop": "blackhole", "delay": "wait", "sleep": "wait", "latency": "wait",
	"maxconn": "connections", "max_connections": "connections", "limit": "connections", "websocket": "upgrade", "forever": "endless", "infinite": "endless", "sse": "endless",
	"keep_alive": "keepalive", "idle": "keepalive", "race": "close_on_reuse",
	"answer": "respond", "reply": "respond", "ok": "respond", "error": "status", "slow": "drip",
}

// otherKeys are words that people have for a key.
var otherKeys = map[string]string{"delay": "after", "sleep": "after", "wait": "after", "latency": "after", "content": "body"}

// beside is one fault with the keys beside it inside, when they are its own; "" else.
func beside(n *yaml.Node) string {
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, arg := n.Content[i], n.Content[i+1]
		k, ok := fault.Lookup(name.Value)
		if !ok || arg.Kind != yaml.ScalarNode {
			continue
		}
		s := k.New()
		if scalar, ok := s.(fault.Scalar); arg.ShortTag() != "!!null" && (!ok || scalar.Scalar(arg.Value) != nil) {
			continue
		}
		known := map[string]bool{}
		var keys []string
		bind.Keys(reflect.ValueOf(s).Elem(), func(key string, v reflect.Value) {
			known[key] = true
			if !v.IsZero() {
				keys = append(keys, key+": "+arg.Value)
			}
		})
		all := true
		bind.Pairs(n, func(key, v *yaml.Node) {
			if key == name {
				return
			}
			_, two := fault.Lookup(key.Value)
			all = all && known[key.Value] && v.Kind == yaml.ScalarNode && !two
			keys = append(keys, key.Value+": "+v.Value)
		})
		if all {
			return "{" + name.Value + ": {" + strings.Join(keys, ", ") + "}}"
		}
	}
	return ""
}

// faultKind looks a name up.
func faultKind(b *bind.Binder, n *yaml.Node) (fault.Kind, bool) {
	k, ok := fault.Lookup(n.Value)
	if !ok {
		var names []string
		for _, k := range fault.Kinds() {
			names = append(names, k.Name)
		}
		hint := bind.Nearest(n.Value, names)
		if hint == "" {
			hint = otherWords[strings.ToLower(n.Value)]
		}
		b.Hintf(n, hint, "do: unknown fault %q; there are %s", short(n.Value), strings.Join(names, ", "))
	}
	return k, ok
}
