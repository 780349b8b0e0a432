package scenario

import (
	"bytes"
	"cmp"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/scenario/internal/bind"
	"github.com/nolive/nolive/harness/scenario/internal/form"
)

// Stand is backends that serve without a proxy: a file of `nolive backend`.
type Stand struct {
	Seed uint64
	// Backends in the order of the file.
	Backends []StandBackend
}

// StandBackend is one of them.
type StandBackend struct {
	Name string
	// Listen is the IP address and port to listen on.
	Listen string
	Rules  fault.Rules
	// Backlog is how many connections wait to be accepted, and one more; 0 is what
	// the system allows.
	Backlog int
	// Text is how the rules were written.
	Text string
}

// LoadStand reads a file of backends.
func LoadStand(path string) (*Stand, Problems) {
	src, err := read(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		return nil, Problems{unreadable(path, err)}
	}
	return ParseStand(path, src)
}

// ParseStand parses a file of backends; name is the file's, for messages. With
// any problem the Stand is nil.
func ParseStand(name string, src []byte) (*Stand, Problems) {
	r := alone(name, src)
	root := r.document()
	if root == nil {
		return nil, r.problems.sort(name)
	}
	var x form.Stand
	bind.Bind(r.b, root, &x)
	out := &Stand{Seed: x.Seed}
	if bind.Node(r.b, &x.Seed) == nil {
		out.Seed = 1
	}
	var every fault.Rules
	var everyText string
	var everyBacklog int
	if n := bind.Node(r.b, &x.Backends); n != nil {
		bind.Pairs(n, func(k, v *yaml.Node) {
			b := x.Backends[k.Value]
			if b == nil {
				return
			}
			if k.Value == everyBackend {
				rules := r.rules(k.Value, b.Rules, listens(x.Backends))
				every, everyText, everyBacklog = rules, r.text(rulesNode(v)), b.Backlog
				return
			}
			at := r.listen(k, b)
			rules := r.rules(k.Value, b.Rules, []string{at})
			text := r.text(rulesNode(v))
			if p := bind.Key(r.b, &b.Process); p != nil {
				r.b.Errorf(p, "process: only in a scenario; start another nolive backend, and send it SIGSTOP")
			}
			out.Backends = append(out.Backends, StandBackend{Name: k.Value, Listen: at, Rules: rules, Backlog: b.Backlog, Text: text})
		})
		if len(out.Backends) == 0 && len(r.b.List()) == 0 {
			r.b.Errorf(n, "backends: there is none to serve")
		}
	}
	for i := range out.Backends {
		b := &out.Backends[i]
		b.Rules = append(b.Rules, every...)
		b.Text += everyText
		b.Backlog = cmp.Or(b.Backlog, everyBacklog)
	}
	return out, r.found(func() { out = nil })
}

// ParseRules parses what is to be the rules of a running backend: a list of
// rules, or one. ttl is how long they will hold, 0 for ever; name stands for the
// text in messages, and address is where the backend listens.
func ParseRules(name string, src []byte, ttl time.Duration, address string) (fault.Rules, Problems) {
	r := alone(name, src)
	r.ttl = ttl
	root := r.document()
	if root == nil {
		return nil, r.problems.sort(name)
	}
	if root.Kind == yaml.MappingNode {
		root = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: root.Line, Column: root.Column, Content: []*yaml.Node{root}}
	}
	var x form.Rules
	r.b.Value("rules", root, reflect.ValueOf(&x).Elem())
	rules := r.rules("rules", x, []string{address})
	return rules, r.found(func() { rules = nil })
}

// ParseDo parses what stands behind `do:`, and returns it as the one rule of
// backends that listen on the addresses.
func ParseDo(name string, src []byte, addresses ...string) (fault.Rules, Problems) {
	r := alone(name, src)
	root := r.document()
	if root == nil {
		return nil, r.problems.sort(name)
	}
	var x form.Do
	r.b.Value("do", root, reflect.ValueOf(&x).Elem())
	rules := fault.Rules{{Do: x.Fault}}
	if len(r.b.List()) == 0 {
		err := rules[0].Validate()
		if err == nil && slices.ContainsFunc(addresses, onUnix) {
			err = x.Fault.OnUnixSocket()
		}
		if err != nil {
			r.b.Errorf(root, "do: %v", err)
		}
	}
	return rules, r.found(func() { rules = nil })
}

// alone is a resolver for a text that is no whole scenario.
func alone(name string, src []byte) *resolver {
	return &resolver{loader: &loader{path: name, src: src}, b: newBinder(), form: &form.Scenario{}, s: &Scenario{}}
}

// document is the text's one document, nil if it can't be read.
func (r *resolver) document() *yaml.Node {
	if len(r.src) > MaxSize {
		r.at(1, 1, "", fmt.Sprintf("the text has more than %d bytes", MaxSize))
		return nil
	}
	var ps bind.Problems
	root := bind.Parse(r.src, &ps)
	if root != nil && bind.Count(root, maxNodes) > maxNodes {
		ps.Add(bind.Problem{Line: 1, Col: 1, Text: fmt.Sprintf("more than %d keys and values", maxNodes)})
		root = nil
	}
	r.take(&ps, "")
	return root
}

// found are all problems; bad is called when there are any.
func (r *resolver) found(bad func()) Problems {
	r.take(&r.b.Problems, "")
	if len(r.problems) > 0 {
		bad()
	}
	return r.problems.sort(r.path)
}

// listens are where all backends listen.
func listens(all map[string]*form.Backend) []string {
	var out []string
	for name, b := range all {
		if b != nil {
			out = append(out, cmp.Or(string(b.Listen), name))
		}
	}
	return out
}

// listen is where a backend listens.
func (r *resolver) listen(k *yaml.Node, b *form.Backend) string {
	at, where := bind.Node(r.b, &b.Listen), string(b.Listen)
	if at == nil {
		at, where = k, k.Value
	}
	if path, ok := strings.CutPrefix(where, "unix:"); ok && (path == "" || path[0] == '/') {
		return where
	}
	if _, err := netip.ParseAddrPort(where); err != nil {
		if at == k {
			r.b.Errorf(k, "%s: the name is no IP address with a port, such as 127.0.0.1:9001, nor unix:/path, and there is no listen", short(k.Value))
		} else {
			r.b.Errorf(at, "listen: want an IP address and a port, such as 127.0.0.1:9001, or unix:/path, got %q", short(where))
		}
	}
	return where
}

// rulesNode is the node of the rules in what stands behind a backend's name; nil
// for none.
func rulesNode(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n
	}
	_, rules := bind.Get(n, "rules")
	return rules
}

// text is a list of rules as it would be written on its own, without comments.
func (r *resolver) text(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	out, err := yaml.Dump(bare(n), yaml.WithIndent(2))
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(out)) + "\n"
}

// bare is a node without its comments.
func bare(n *yaml.Node) *yaml.Node {
	out := *n
	out.HeadComment, out.LineComment, out.FootComment = "", "", ""
	out.Content = nil
	for _, c := range n.Content {
		out.Content = append(out.Content, bare(c))
	}
	return &out
}
