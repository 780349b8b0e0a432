package nginxconf

import (
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// balancing is how an upstream block picks, as far as it was read.
type balancing struct {
	// chosen is true when a directive has said how, or keepalive has wrapped it.
	chosen bool
	// backup says whether the method so far takes backup servers; nginx looks at
	// it line by line.
	backup bool
	// two is true after a `random two`: nothing takes it back.
	two bool
}

// balancer reads the directives that say how a server is picked
// (ngx_http_upstream_least_conn and its kin). The last one counts.
func (in *interpreter) balancer(d *Directive, u *upstream.Config, b *balancing) {
	name := d.Name.Text
	switch name {
	case "least_conn", "least_time", "ip_hash", "hash", "random":
	default:
		return
	}
	if b.chosen {
		in.cfg.Warnings = append(in.cfg.Warnings, Note{Pos: d.Pos(), Text: "load balancing method redefined"})
		if !in.cfg.Version.KeepsByDefault() {
			// keepalive wraps the method that it finds, so a later one replaces it.
			u.Keepalive.Connections = 0
		}
	}
	b.chosen = true
	b.backup = name == "least_conn" || name == "least_time"
	u.Method, u.Key = upstream.RoundRobin, variable.Template{}
	switch name {
	case "least_conn":
		u.Method = upstream.LeastConn
	case "ip_hash":
		u.Method = upstream.IPHash
	case "hash":
		u.Method = upstream.Hash
		in.key(d, u)
		if len(d.Args) == 2 {
			u.Method = upstream.ConsistentHash
			in.parameter(d, 1, "consistent")
		}
	case "random":
		u.Method = upstream.Random
		if len(d.Args) > 0 && in.parameter(d, 0, "two") {
			b.two = true
		}
		if b.two {
			u.Method = upstream.RandomTwo
		}
		if len(d.Args) == 2 && b.two {
			in.leastConn(d)
		}
	}
}

// parameter expects one word.
func (in *interpreter) parameter(d *Directive, i int, want string) bool {
	if d.Arg(i) != want {
		in.out.add(d.ArgPos(i), missingSemicolon(d), "invalid parameter \"%s\"", d.Arg(i))
	}
	return d.Arg(i) == want
}

// leastConn reads the second parameter of random: least_conn, which is the
// default, or one of the methods that only the commercial nginx has.
func (in *interpreter) leastConn(d *Directive) { in.parameter(d, 1, "least_conn") }

// otherFacts notes who goes by headers where other directives change which there are.
func (in *interpreter) otherFacts() {
	for _, c := range []struct {
		who         []*Directive
		by, because string
	}{
		{in.byHeader, "underscores_in_headers", "underscores_in_headers changes which headers there are"},
		{in.byHeader, "ignore_invalid_headers", "ignore_invalid_headers changes which headers there are"},
	} {
		if len(c.who) == 0 || !in.cfg.Tree.has(c.by) {
			continue
		}
		for _, d := range c.who {
			in.nginxOnly(d, c.because)
		}
	}
}

// has says whether a directive of that name is anywhere.
func (t *Tree) has(name string) bool {
	var in func(ds []*Directive) bool
	in = func(ds []*Directive) bool {
		for _, d := range ds {
			if d.Name.Text == name || in(d.Children()) {
				return true
			}
			for _, f := range d.Included {
				if in(f.Directives) {
					return true
				}
			}
		}
		return false
	}
	return in(t.Directives)
}
