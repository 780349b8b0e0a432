package scenario

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/scenario/internal/bind"
	"github.com/nolive/nolive/harness/scenario/internal/form"
)

// bindExpectation takes a mapping from one kind to its check.
func bindExpectation(b *bind.Binder, what string, n *yaml.Node, v reflect.Value) {
	x := v.Addr().Interface().(*form.Expectation)
	switch {
	case n.Kind != yaml.MappingNode || len(n.Content) == 0:
		b.Want(n, "expect", "", "an expectation such as {status: {of: ..., is: 200}}")
		return
	case len(n.Content) > 2:
		b.Errorf(n.Content[2], "expect: one kind an entry; begin another one with \"- %s\"", short(n.Content[2].Value))
	}
	k, arg := n.Content[0], n.Content[1]
	var names []string
	for _, kind := range check.Kinds() {
		if names = append(names, kind.Name); kind.Name == k.Value {
			def := kind.New()
			b.Value(k.Value, arg, reflect.ValueOf(def).Elem())
			x.Kind, x.Check = kind.Name, def
			return
		}
	}
	b.Hintf(k, bind.Nearest(k.Value, names), "expect: unknown kind %q; there are %s", short(k.Value), strings.Join(names, ", "))
}

// beyond reports a count of responses that no run can meet, or that none can miss,
// because its traffic sends fewer requests.
func (e *expectation) beyond(at *yaml.Node, s check.Span) bool {
	switch e.kind {
	case "status", "slow", "truncated":
	default:
		return false
	}
	of := e.def.Refs().Traffic
	for i := range e.s.Traffic {
		t := &e.s.Traffic[i]
		most, bounded := t.Load.most()
		if t.Name != of || !bounded {
			continue
		}
		switch m := float64(most); {
		case !s.Has(m) && s.Lo >= m:
			e.b.Errorf(at, "%s: count: %q can't hold: %s sends %s", e.kind, s.String(), of, requests(most))
			return true
		case s.Lo == 0 && !s.LoOpen && s.Has(m):
			e.b.Errorf(at, "%s: count: %q always holds, so it could never fail: %s sends %s", e.kind, s.String(), of, requests(most))
			return true
		}
	}
	return false
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// most is how many requests a load sends at most; false where that isn't known
// before it has run.
func (l *Load) most() (int, bool) {
	switch {
	case len(l.At) > 0:
		return len(l.At), true
	case l.Rate > 0 && l.Poisson, l.Rate > 0 && l.For == 0:
		return 0, false
	case l.Rate > 0:
		// The n-th is sent (n-1)/rate after the first, before the end.
		return int(math.Ceil(l.For.Seconds()*l.Rate - 1e-9)), true
	case l.Times > 0:
		return max(l.Users, 1) * l.Times, true
	}
	return 0, false
}

// expect checks the expectations against the rest of the scenario.
func (r *resolver) expect() {
	n := bind.Node(r.b, &r.form.Expect)
	if n == nil || n.Kind != yaml.SequenceNode {
		return
	}
	if len(n.Content) == 0 {
		r.b.Errorf(n, "expect is empty: a scenario without expectations could never fail")
	}
	for i := range r.form.Expect {
		x := &r.form.Expect[i]
		def, ok := x.Check.(check.Definition)
		if !ok {
			continue
		}
		entry := bind.Node(r.b, x)
		e := expectation{r, x.Kind, entry.Content[0], entry.Content[1], def}
		e.validate()
		e.refs()
		e.vain()
		e.logLine()
		e.unseen()
		r.s.Expect = append(r.s.Expect, reflect.ValueOf(def).Elem().Interface().(check.Check))
	}
}

// expectation is one entry of expect with its nodes.
type expectation struct {
	*resolver
	kind     string
	key, arg *yaml.Node
	def      check.Definition
}

// at is the node of one of the check's keys, the entry's own when it isn't given.
func (e *expectation) at(field string) *yaml.Node {
	if _, v := bind.Get(e.arg, field); v != nil {
		return v
	}
	return e.key
}

// validate reports what the check finds wrong with itself, unless binding has
// already said why.
func (e *expectation) validate() {
	if e.arg.Kind != yaml.MappingNode {
		return
	}
	hinted := e.b.Hinted(e.arg)
	for _, p := range e.def.Validate() {
		if p.Field == "" && e.b.Within(e.arg) || p.Field != "" && (len(e.b.At(e.at(p.Field))) > 0 || slices.Contains(hinted, p.Field)) {
			continue
		}
		e.b.Errorf(e.at(p.Field), "%s: %s", e.kind, p)
	}
}

// refs compares what the check speaks of with the scenario.
func (e *expectation) refs() {
	refs := e.def.Refs()
	if refs.Traffic != "" {
		e.ofTraffic(refs)
	}
	for _, name := range refs.Backends {
		at := e.at("backend")
		if peers := e.at("peers"); peers.Kind == yaml.SequenceNode {
			at = peers.Content[0]
			for _, c := range peers.Content {
				if c.Value == name {
					at = c
					break
				}
			}
		}
		e.knownBackend(at, name, e.kind)
	}
	if !refs.During.Whole() {
		at := e.at("during")
		if at == e.key {
			at = e.at("at")
		}
		e.opens(at, e.kind, refs.During.From)
	}
}

func (e *expectation) ofTraffic(refs check.Refs) {
	var names []string
	for _, t := range e.s.Traffic {
		if names = append(names, t.Name); t.Name != refs.Traffic {
			continue
		}
		if refs.NonIdempotent && t.Method != "" && !slices.Contains([]string{"POST", "LOCK", "PATCH"}, t.Method) {
			e.b.Errorf(e.at("of"), "%s: %s sends %s, which may be repeated; this is about POST, LOCK and PATCH", e.kind, t.Name, t.Method)
		}
		return
	}
	if e.form.Traffic[refs.Traffic] == nil {
		e.b.Hintf(e.at("of"), bind.Nearest(refs.Traffic, names), "%s: there is no traffic %q; there is %s",
			e.kind, short(refs.Traffic), listing(names))
	}
}

// vain reports values that every run would meet, and warns of those that hardly
// any could.
func (e *expectation) vain() {
	eachSpan(e.def, func(key string, s check.Span) {
		at := e.at(key)
		switch {
		case s.Lo == 0 && !s.LoOpen && (math.IsInf(s.Hi, 1) || s.Unit == check.Percent && s.Hi >= 1 && !s.HiOpen):
			e.b.Errorf(at, "%s: %s: %q always holds, so it could never fail", e.kind, key, s.String())
		case s.Unit == check.Count && key == "count" && e.beyond(at, s):
		case s.Unit == check.Seconds && s.Lo == s.Hi && s.Lo > 0:
			e.warn(Problem{Pos: e.pos(at.Line, at.Column), Text: fmt.Sprintf("%s: %s: no run on sockets takes exactly %s", e.kind, key, s),
				Hint: fmt.Sprintf("%s ±1s gives it a tolerance", s)})
		}
	})
}
