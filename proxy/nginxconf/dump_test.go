package nginxconf

import (
	"fmt"
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
)

// dumpTree writes a tree: one directive a line with its place and its words.
func dumpTree(b *strings.Builder, ds []*Directive, indent string) {
	for _, d := range ds {
		p := d.Pos()
		fmt.Fprintf(b, "%s%d:%d", indent, p.Line, p.Col)
		fmt.Fprintf(b, " %q", d.Name.Text)
		for _, a := range d.Args {
			fmt.Fprintf(b, " %q", a.Text)
		}
		if d.Broken {
			b.WriteString(" broken")
		}
		if d.Block != nil {
			b.WriteString(" {")
		}
		b.WriteString("\n")
		if d.Block != nil {
			dumpTree(b, d.Block.Directives, indent+"  ")
		}
		for _, f := range d.Included {
			fmt.Fprintf(b, "%s  from %s\n", indent, f.File.Name)
			dumpTree(b, f.Directives, indent+"  ")
		}
	}
}

// dumpConfig writes everything of a Config that isn't a default.
func dumpConfig(c *Config) string {
	var b strings.Builder
	if c.WorkerProcesses != 1 {
		fmt.Fprintf(&b, "workers %d\n", c.WorkerProcesses)
	}
	for _, u := range c.Upstreams {
		dumpUpstream(&b, u)
	}
	for _, s := range c.Servers {
		b.WriteString("server")
		for _, l := range s.Listens {
			fmt.Fprintf(&b, " %s", l.Address)
			if l.Default {
				b.WriteString("*")
			}
		}
		if len(s.Names) > 0 {
			fmt.Fprintf(&b, " names %s", strings.Join(s.Names, " "))
		}
		b.WriteString("\n")
		if s.own.Return != nil {
			fmt.Fprintf(&b, "  return %d %q\n", s.own.Return.Status, s.own.Return.Text)
		} else {
			dumpScript(&b, s.own.script, "  ")
		}
		for _, l := range s.Locations {
			dumpLocation(&b, l)
		}
	}
	for _, s := range c.Streams {
		b.WriteString("stream")
		for _, l := range s.Listens {
			fmt.Fprintf(&b, " %s", l.Address)
		}
		p := s.Pass
		fmt.Fprintf(&b, " pass %s connect=%v idle=%v", p.Upstream.Name, p.ConnectTimeout, p.Timeout)
		if p.Policy != (upstream.Policy{}) {
			fmt.Fprintf(&b, " next=%q tries=%d timeout=%v", p.Policy.Next, p.Policy.Tries, p.Policy.Timeout)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "backends %s\n", strings.Join(c.Backends, " "))
	for _, n := range c.Warnings {
		fmt.Fprintf(&b, "warning %d:%d: %s\n", n.Pos.Line, n.Pos.Col, n.Text)
	}
	for _, n := range c.NginxOnly {
		fmt.Fprintf(&b, "nginx only %d:%d: %s\n", n.Pos.Line, n.Pos.Col, n.Text)
	}
	if len(c.Ignored) > 0 {
		b.WriteString("ignored")
		for _, n := range c.Ignored {
			fmt.Fprintf(&b, " %s,", n.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func dumpUpstream(b *strings.Builder, u *upstream.Config) {
	fmt.Fprintf(b, "upstream %s", u.Name)
	if u.Zone {
		b.WriteString(" zone")
	}
	if u.Method != upstream.RoundRobin {
		fmt.Fprintf(b, " %v", u.Method)
	}
	if key := u.Key.Source(); key != "" {
		fmt.Fprintf(b, " %q", key)
	}
	if u.Keepalive != (upstream.KeepaliveConfig{}) {
		fmt.Fprintf(b, " keepalive %+v", u.Keepalive)
	}
	b.WriteString("\n")
	for _, s := range u.Servers {
		fmt.Fprintf(b, "  %s weight=%d max_fails=%d fail_timeout=%v", s.Name, s.Weight, s.MaxFails, s.FailTimeout)
		if s.MaxConns > 0 {
			fmt.Fprintf(b, " max_conns=%d", s.MaxConns)
		}
		if s.Backup {
			b.WriteString(" backup")
		}
		if s.Down {
			b.WriteString(" down")
		}
		b.WriteString("\n")
	}
}

func dumpLocation(b *strings.Builder, l *Location) {
	b.WriteString("  ")
	if l.parent != nil {
		b.WriteString("  ")
	}
	if l.Exact {
		b.WriteString("= ")
	}
	if l.regex != nil {
		b.WriteString("~ ")
	}
	b.WriteString(l.Path)
	if l.internal {
		b.WriteString(" internal")
	}
	if l.Return != nil {
		fmt.Fprintf(b, " return %d %q", l.Return.Status, l.Return.Text)
	}
	if p := l.Pass; p != nil {
		if p.dynamic != nil {
			fmt.Fprintf(b, " pass $(%s)", p.dynamic.Source())
		} else {
			fmt.Fprintf(b, " pass %s%s", map[bool]string{true: "tls "}[p.TLS], p.Upstream.Name)
		}
		if p.HasURI {
			fmt.Fprintf(b, " uri %s", p.URI)
		}
		fmt.Fprintf(b, " connect=%v send=%v read=%v", p.ConnectTimeout, p.SendTimeout, p.ReadTimeout)
		if p.Policy != (upstream.Policy{}) {
			fmt.Fprintf(b, " next=%q tries=%d timeout=%v", p.Policy.Next, p.Policy.Tries, p.Policy.Timeout)
		}
		if p.HTTP11 {
			b.WriteString(" http/1.1")
		}
		if p.KeepConnection {
			b.WriteString(" keep")
		}
		if p.IgnoreClientAbort {
			b.WriteString(" ignore_abort")
		}
		for _, r := range p.clients {
			fmt.Fprintf(b, " client %v %s", r.from, r.header)
			if r.recursive {
				b.WriteString(" recursive")
			}
		}
		if p.InterceptErrors {
			b.WriteString(" intercept")
		}
		if p.Unbuffered {
			b.WriteString(" unbuffered")
		}
		if p.NoRequestHeaders {
			b.WriteString(" no headers")
		}
		if p.NoRequestBody {
			b.WriteString(" no body")
		}
		if p.method != nil {
			fmt.Fprintf(b, " as %q", p.method.Source())
		}
		if p.body != nil {
			fmt.Fprintf(b, " with %q", p.body.Source())
		}
		if p.StreamsBody {
			fmt.Fprintf(b, " streams beyond %d", p.BodyBuffer)
		}
		for _, h := range p.Headers {
			if !strings.EqualFold(h.Name, "Connection") {
				fmt.Fprintf(b, " %s=%q", h.Name, h.value.Source())
			}
		}
	}
	b.WriteString("\n")
	if l.settings != nil {
		for _, e := range l.settings.errorPages {
			fmt.Fprintf(b, "      error_page %d overwrite=%d %q args=%q\n", e.status, e.overwrite, e.uri.Source(), e.args)
		}
		for _, h := range l.settings.headers {
			fmt.Fprintf(b, "      add_header %s %q always=%v\n", h.name, h.value.Source(), h.always)
		}
	}
	if l.Return == nil {
		dumpScript(b, l.script, "      ")
	}
	if l.except != nil {
		fmt.Fprintf(b, "      except %v denied=%v\n", l.except.methods, l.except.block.denied)
	}
}

func dumpScript(b *strings.Builder, script []code, indent string) {
	for _, c := range script {
		b.WriteString(indent)
		switch c.op {
		case opReturn:
			fmt.Fprintf(b, "return %d %q\n", c.reply.Status, c.reply.Text)
		case opSet:
			fmt.Fprintf(b, "set %s %q\n", c.name, c.value.Source())
		case opBreak:
			b.WriteString("break\n")
		case opRewrite:
			r := c.rewrite
			fmt.Fprintf(b, "rewrite to %q args %q add=%v status=%d last=%v break=%v\n", r.to.Source(), r.args.Source(), r.addArgs, r.status, r.last, r.brk)
		case opIf:
			fmt.Fprintf(b, "if %s test=%d not=%v %q\n", c.cond.name, c.cond.test, c.cond.not, c.cond.value.Source())
			if c.block != nil && c.block.Pass != nil {
				fmt.Fprintf(b, "%s  passes on, read=%v\n", indent, c.block.Pass.ReadTimeout)
			}
			dumpScript(b, c.body, indent+"  ")
		}
	}
}

// lines writes problems with places but without the file.
func lines(ps []Problem) string {
	var b strings.Builder
	for _, p := range ps {
		b.WriteString(strings.TrimPrefix(p.String(), "x.conf:") + "\n")
	}
	return b.String()
}
