package cases

import (
	"slices"
	"strings"
	"time"
)

// Smaller are cases that lack one thing of c each, the biggest pieces first. A
// case without any is as small as it can be.
func (c *Case) Smaller() []*Case {
	var out []*Case
	try := func(change func(n *Case) bool) {
		n := c.clone()
		if change(n) {
			out = append(out, n)
		}
	}
	for i := range c.Traffic {
		try(func(n *Case) bool { n.Traffic = slices.Delete(n.Traffic, i, i+1); return len(n.Traffic) > 0 })
	}
	for i := range c.Servers {
		try(func(n *Case) bool { return n.dropServer(i) })
	}
	for i := range c.Traffic {
		for _, k := range []int{2, 4} { // half of the requests, then a quarter
			try(func(n *Case) bool { return n.Traffic[i].drop(len(c.Traffic[i].At)/k, c.Traffic[i].Times/k) })
		}
		try(func(n *Case) bool { return n.Traffic[i].drop(1, 1) })
		for j := range c.Traffic[i].At {
			try(func(n *Case) bool {
				n.Traffic[i].At = slices.Delete(n.Traffic[i].At, j, j+1)
				return len(n.Traffic[i].At) > 0
			})
		}
		for j := range c.Traffic[i].Words {
			try(func(n *Case) bool { n.Traffic[i].Words = slices.Delete(n.Traffic[i].Words, j, j+1); return true })
		}
		try(func(n *Case) bool { return n.Traffic[i].plain() })
	}
	for i := range c.Backends {
		try(func(n *Case) bool { n.Backends = slices.Delete(n.Backends, i, i+1); return true })
		for j := range c.Backends[i].Rules {
			try(func(n *Case) bool { return n.dropRule(i, j) })
		}
	}
	lists := func(n *Case) []*[]string { return []*[]string{&n.Block, &n.After, &n.Location, &n.Again} }
	for k, list := range lists(c) {
		for i := range *list {
			try(func(n *Case) bool { l := lists(n)[k]; *l = slices.Delete(*l, i, i+1); return true })
		}
	}
	for i := range c.Servers {
		for j := range c.Servers[i].Params {
			try(func(n *Case) bool {
				n.Servers[i].Params = slices.Delete(n.Servers[i].Params, j, j+1)
				return slices.ContainsFunc(n.Servers, func(s Server) bool { return !slices.Contains(s.Params, "backup") })
			})
		}
	}
	try(func(n *Case) bool { n.Page, n.Again = "", nil; n.dropSecond(); return c.Page != "" })
	try(func(n *Case) bool { n.dropSecond(); return len(c.Second) > 0 && !c.draws() && c.Workers < 2 })
	try(func(n *Case) bool { n.URI = ""; return c.URI != "" })
	try(func(n *Case) bool { n.Workers = 0; return c.Workers > 1 })
	return out
}

func (c *Case) clone() *Case {
	n := *c
	n.Block, n.After, n.Location, n.Again = slices.Clone(c.Block), slices.Clone(c.After), slices.Clone(c.Location), slices.Clone(c.Again)
	n.Second = slices.Clone(c.Second)
	n.Servers, n.Backends, n.Traffic, n.Expect = slices.Clone(c.Servers), slices.Clone(c.Backends), slices.Clone(c.Traffic), nil
	for i := range n.Servers {
		n.Servers[i].Params = slices.Clone(n.Servers[i].Params)
	}
	for i := range n.Backends {
		n.Backends[i].Rules = slices.Clone(n.Backends[i].Rules)
	}
	for i := range n.Traffic {
		n.Traffic[i].At, n.Traffic[i].Words = slices.Clone(n.Traffic[i].At), slices.Clone(n.Traffic[i].Words)
	}
	return &n
}

// dropServer leaves a server out, and its backend if no other line has it.
func (c *Case) dropServer(i int) bool {
	name := c.Servers[i].Name
	c.Servers = slices.Delete(c.Servers, i, i+1)
	if !slices.ContainsFunc(c.Servers, func(s Server) bool { return s.Name == name }) {
		c.Backends = slices.DeleteFunc(c.Backends, func(b Backend) bool { return b.Name == name })
	}
	return slices.ContainsFunc(c.Servers, func(s Server) bool { return !slices.Contains(s.Params, "backup") })
}

// dropSecond leaves the second block out, with its backends.
func (c *Case) dropSecond() {
	for _, s := range c.Second {
		c.Backends = slices.DeleteFunc(c.Backends, func(b Backend) bool { return b.Name == s.Name })
	}
	c.Second = nil
}

func (c *Case) dropRule(i, j int) bool {
	b := &c.Backends[i]
	b.Rules = slices.Delete(b.Rules, j, j+1)
	return len(b.Rules) > 0
}

// drop leaves the last requests out.
func (t *Traffic) drop(instants, times int) bool {
	switch {
	case len(t.At) > 0 && instants > 0 && instants < len(t.At):
		t.At = t.At[:len(t.At)-instants]
	case len(t.At) == 0 && times > 0 && times < t.Times:
		t.Times -= times
	default:
		return false
	}
	return true
}

// plain makes the requests GETs.
func (t *Traffic) plain() bool {
	method, path, _ := strings.Cut(t.Request, " ")
	if method == "GET" && path == "/" {
		return false
	}
	if method == "GET" {
		path = "/"
	}
	t.Request = "GET " + path
	t.Words = slices.DeleteFunc(t.Words, func(w string) bool { return strings.HasPrefix(w, "body:") || strings.HasPrefix(w, "framing:") })
	return true
}

// Span is how long the case's load is planned to last, without its answers.
func (c *Case) Span() time.Duration {
	var end time.Duration
	for i := range c.Traffic {
		t := &c.Traffic[i]
		if n := len(t.At); n > 0 {
			end = max(end, t.At[n-1])
		} else {
			end = max(end, t.Start+time.Duration(t.Times-1)*t.Pause)
		}
	}
	return end
}

// Renamed is the case under another name, with another listen: every name in it
// begins with its own. A draw by name, as share makes one, may go another way.
func (c *Case) Renamed(name, listen string) *Case {
	n := c.clone()
	n.Name, n.Listen = name, listen
	swap := func(s string) string {
		if rest, ok := strings.CutPrefix(s, c.Name+"-"); ok {
			return name + "-" + rest
		}
		return s
	}
	for i := range n.Block {
		n.Block[i] = strings.Replace(n.Block[i], "zone "+c.Name, "zone "+name, 1)
	}
	for i := range n.Servers {
		n.Servers[i].Name = swap(n.Servers[i].Name)
	}
	for i := range n.Second {
		n.Second[i].Name = swap(n.Second[i].Name)
	}
	for i := range n.Backends {
		n.Backends[i].Name = swap(n.Backends[i].Name)
	}
	for i := range n.Traffic {
		n.Traffic[i].Name = swap(n.Traffic[i].Name)
	}
	return n
}
