package scenario

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/scenario/internal/bind"
	"github.com/nolive/nolive/harness/scenario/internal/form"
)

// everyBackend is the name under backends that stands for all of them.
const everyBackend = "*"

// backends checks the rules and gives each backend of the configuration its
// own, then those of "*".
func (r *resolver) backends() {
	n := bind.Node(r.b, &r.form.Backends)
	given := map[string]fault.Rules{}
	process, backlog := map[string]bool{}, map[string]int{}
	if n != nil {
		bind.Pairs(n, func(k, _ *yaml.Node) {
			x := r.form.Backends[k.Value]
			if x == nil {
				return
			}
			r.knownBackend(k, k.Value, "backends")
			given[k.Value] = r.rules(k.Value, x.Rules, r.meant(k.Value))
			process[k.Value], backlog[k.Value] = x.Process, x.Backlog
			if n := bind.Key(r.b, &x.Listen); n != nil {
				r.b.Errorf(n, "listen: the backends of a scenario get ports by themselves")
			}
		})
	}
	if r.cfg == nil {
		return
	}
	for _, name := range r.cfg.Backends {
		r.s.Backends = append(r.s.Backends, Backend{
			Name:    name,
			Rules:   append(slices.Clone(given[name]), given[everyBackend]...),
			Own:     len(given[name]),
			Process: process[name] || process[everyBackend],
			Backlog: cmp.Or(backlog[name], backlog[everyBackend]),
		})
	}
}

// bindBackend takes a list of rules, or a mapping that has them under a key.
func bindBackend(b *bind.Binder, what string, n *yaml.Node, v reflect.Value) {
	x := v.Addr().Interface().(*form.Backend)
	switch {
	case n.Kind == yaml.SequenceNode:
		b.Value(what, n, reflect.ValueOf(&x.Rules).Elem())
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		b.Errorf(n, "%s is empty; give it a value or leave it out", what)
	case n.Kind != yaml.MappingNode:
		b.Want(n, what, "", "a list of rules")
	case len(n.Content) == 0:
		b.Errorf(n, "%s: this says nothing; leave it out", what)
	default:
		b.Fields(what, n, v)
	}
}

// knownBackend reports a name that the configuration doesn't have.
func (r *resolver) knownBackend(n *yaml.Node, name, what string) {
	if r.cfg == nil || !r.cfg.complete || name == everyBackend || slices.Contains(r.cfg.Backends, name) {
		return
	}
	hint := bind.Nearest(name, r.cfg.Backends)
	for _, b := range r.cfg.Backends {
		if strings.HasPrefix(b, name+":") || strings.HasPrefix(name, b+":") {
			hint = b
			break
		}
	}
	r.b.Hintf(n, hint, "%s: the configuration has no backend %q; it has %s",
		what, short(name), listing(r.cfg.Backends))
}

// meant are the backends that a name under backends stands for.
func (r *resolver) meant(name string) []string {
	if name == everyBackend && r.cfg != nil {
		return r.cfg.Backends
	}
	return []string{name}
}

// rules are a backend's; addresses is where those listen that they are for.
func (r *resolver) rules(backend string, rules form.Rules, addresses []string) fault.Rules {
	var out, sound fault.Rules // sound are those without a mistake
	var at []*yaml.Node        // their nodes
	var told [fault.Layers]bool
	for i := range rules {
		x := &rules[i]
		n := bind.Node(r.b, x)
		if n == nil || n.Kind != yaml.MappingNode {
			continue
		}
		w := r.when(backend, &x.When)
		if d := x.Do.Fault.Door; d != fault.Open && !w.OnlyWindow() {
			r.b.Errorf(bind.Key(r.b, &x.When), "%s: %s holds for the whole backend; only from and until can select it", backend, d)
		}
		if err := x.Do.Fault.OnUnixSocket(); err != nil && slices.ContainsFunc(addresses, onUnix) {
			r.b.Errorf(bind.Key(r.b, &x.Do), "%s: %v", backend, err)
		}
		r.limited(bind.Key(r.b, &x.Do), backend, &x.Do.Fault, addresses)
		rule := fault.Rule{When: w, Do: x.Do.Fault}
		if l := rule.Do.Layer(); l != fault.OnRequest && l != fault.OnDoor || w.Lasts != 0 || w.Repeats != 0 {
			if err := rule.Validate(); err != nil {
				r.b.Errorf(bind.Key(r.b, &x.When), "%s: %v", backend, err)
			}
		}
		out = append(out, rule)
		if r.b.Within(n) {
			continue
		}
		sound, at = append(sound, rule), append(at, n)
		if l := rule.Do.Layer(); !told[l] {
			told[l] = r.reached(at, backend, sound)
		}
		if x.Do.Fault.Script.Endless > 0 && len(r.s.Traffic) > 0 && !slices.ContainsFunc(r.s.Traffic, func(t Traffic) bool { return t.Client.Timeout > 0 }) {
			r.b.Errorf(bind.Key(r.b, &x.Do), "%s: endless: no client ever leaves; give one a time-out, as in client: {timeout: 30s}", backend)
		}
		r.lags(&x.Do, backend)
		for _, st := range x.Do.Fault.Script.Steps {
			if st.Op == fault.Await {
				r.knownBackend(bind.Key(r.b, &x.Do), st.Barrier.Backend, "wait_for")
			}
		}
	}
	return out
}

// lags warns of a wait behind the whole answer, which delays nothing but the
// connection's next request.
func (r *resolver) lags(x *form.Do, backend string) {
	n := bind.Node(r.b, x)
	steps := x.Fault.Script.Steps
	if n == nil || n.Kind != yaml.SequenceNode || len(steps) == 0 || steps[len(steps)-1].Op != fault.Wait {
		return
	}
	at := n.Content[len(n.Content)-1]
	r.warn(Problem{Pos: r.pos(at.Line, at.Column), Hint: "steps are done in order; a wait before the answer delays it",
		Text: backend + ": do: this wait comes when the client has its answer"})
}

// reached reports the last rule of a list when an earlier one takes everything.
func (r *resolver) reached(at []*yaml.Node, backend string, rules fault.Rules) (told bool) {
	last := len(rules) - 1
	i := rules.Shadowed(last)
	if i < 0 {
		return false
	}
	why := "one before it has no when"
	if w := &rules[i].When; !w.OnlyWindow() || w.From > 0 || w.Until > 0 || w.Lasts > 0 {
		why = fmt.Sprintf("the one in line %d takes all of it", at[i].Line)
	}
	r.b.Errorf(at[last], "%s: this rule is never reached, because %s", backend, why)
	return true
}

func (r *resolver) when(backend string, w *form.When) fault.When {
	b := r.b
	out := fault.When{
		Method: w.Method, Path: w.Path, From: w.From, Until: w.Until,
		Lasts: w.Lasts, Repeats: w.Repeats,
		Request: fault.Range(w.Request), Every: w.Every,
		Connection: fault.Range(w.Connection), Exchange: fault.Range(w.Exchange),
		Share: float64(w.Share),
	}
	if n := bind.Node(b, w); n != nil && n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		b.Errorf(n, "%s: when is empty; leave it out", backend)
	}
	for name, glob := range w.Header {
		if out.Header == nil {
			out.Header = map[string]string{}
		}
		if glob != nil {
			out.Header[name] = string(*glob)
		}
		if !fault.IsToken(name) {
			b.Errorf(bind.Node(b, &w.Header), "header: %q is no header's name", short(name))
		}
	}
	if n := bind.Node(b, &w.Path); n != nil && w.Path != "" && w.Path[0] != '/' && w.Path[0] != '*' {
		b.Hintf(n, "/"+w.Path, "path: %q matches no path, because those start with /", short(w.Path))
	}
	if n := bind.Node(b, &w.Method); n != nil && w.Method != "" {
		r.method(n, w.Method)
	}
	if n := bind.Node(b, &w.Path); n != nil && w.Path != "" {
		r.asked(n, w.Path)
	}
	r.window(backend, w)
	return out
}

// method reports a rule's method that no traffic uses.
func (r *resolver) method(n *yaml.Node, method string) {
	var used []string
	for _, t := range r.s.Traffic {
		if t.Method == method || t.Method == "" {
			return
		}
		used = append(used, t.Method)
	}
	if len(used) > 0 && !(method == "GET" && r.redirected()) {
		r.b.Hintf(n, bind.Nearest(method, used), "method: no traffic sends %s", short(method))
	}
}

// asked warns of a rule's path that no traffic asks for; a proxy may change paths.
func (r *resolver) asked(n *yaml.Node, glob string) {
	var used []string
	for _, t := range r.s.Traffic {
		if t.Path == "" || fault.MatchPath(glob, t.Path) {
			return
		}
		used = append(used, t.Path)
	}
	if len(used) > 0 && !r.redirected() {
		r.warn(Problem{Pos: r.pos(n.Line, n.Column), Hint: meant(bind.Nearest(glob, used)),
			Text: fmt.Sprintf("path: no traffic asks for %s, so unless the proxy changes the path this rule never applies", strconv.Quote(short(glob)))})
	}
}

// window reports a rule's window that never opens.
func (r *resolver) window(backend string, w *form.When) {
	from, until := bind.Node(r.b, &w.From), bind.Node(r.b, &w.Until)
	if until != nil && until.Kind == yaml.ScalarNode && w.Until <= w.From && (w.Until > 0 || isZero(until.Value)) {
		r.b.Errorf(until, "%s: this window never opens: until %s isn't after from %s", backend, written(w.Until), written(w.From))
		return
	}
	if from == nil {
		return
	}
	if r.ttl > 0 && w.From >= r.ttl {
		r.b.Errorf(from, "%s: this window never opens: the rules end after %s, their ttl", backend, written(r.ttl))
	}
	r.opens(from, backend, w.From)
}

// opens reports a window that opens when all traffic is over: as a mistake when
// that is certain, otherwise as a warning.
func (r *resolver) opens(n *yaml.Node, what string, from time.Duration) {
	last, ok := r.lastSend()
	if !ok || from == 0 || from < last {
		return
	}
	if end, ok := r.lastLife(); ok && from > end {
		r.b.Errorf(n, "%s: this window opens at %s, but all traffic is over by then (the last request is sent at %s)", what, written(from), written(last))
		return
	}
	r.warn(Problem{Pos: r.pos(n.Line, n.Column), Text: what + ": this window opens after the last request is sent"})
}

// written is a duration as one would write it: 2h, not 2h0m0s.
func written(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
