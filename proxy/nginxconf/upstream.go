package nginxconf

import (
	"strings"
	"time"

	"github.com/nolive/nolive/proxy/upstream"
)

// pageSize is the smallest memory page; nginx wants eight of them in a zone.
const pageSize = 4096

// upstream reads an upstream block (ngx_http_upstream).
func (in *interpreter) upstream(d *Directive) {
	u := &upstream.Config{Name: d.Arg(0), Version: in.cfg.Version}
	key := strings.ToLower(u.Name)
	if in.blocks[key] != nil {
		in.out.add(d.ArgPos(0), "", "duplicate upstream \"%s\"", u.Name)
	} else {
		in.blocks[key] = u
		in.cfg.Upstreams = append(in.cfg.Upstreams, u)
	}
	where := inUpstream
	if in.inStream {
		u.Stream, where = true, inStreamUpstream
	}
	before := seen{}
	if in.cfg.Version.KeepsByDefault() && !in.inStream {
		u.Keepalive.Connections, u.Keepalive.Local = 32, true
	}
	b := balancing{backup: true}
	defer in.enter(&level{upstream: u})()
	servers := 0
	for _, c := range d.Children() {
		if c.Name.Text == "server" && c.Name.Span.Start != c.Name.Span.End {
			servers++
		}
		if !in.check(c, where, before) || in.newerDirective(c) {
			continue
		}
		switch c.Name.Text {
		case "server":
			in.upstreamServer(c, u, b.backup)
		case "zone":
			u.Zone = in.zone(c)
		case "keepalive":
			in.keepalive(c, u, before)
			// Before keepalive was on by default it wrapped the method that it found.
			b.chosen = b.chosen || !in.cfg.Version.KeepsByDefault()
		case "keepalive_requests":
			u.Keepalive.Requests = int(number(c.Arg(0)))
			in.noZero(c)
		case "keepalive_time":
			u.Keepalive.Time, _ = duration(c.Arg(0), milliseconds)
			in.noZero(c)
		case "keepalive_timeout":
			u.Keepalive.Timeout, _ = duration(c.Arg(0), milliseconds)
			in.noZero(c)
		default:
			in.balancer(c, u, &b)
		}
	}
	switch {
	case d.Broken:
	case servers == 0:
		in.out.add(d.Pos(), "", "no servers are inside upstream")
	case len(u.Servers) == servers && !hasPrimary(u):
		in.out.add(d.Pos(), "a backup needs a server that it backs up", "no servers in upstream \"%s\"", u.Name)
	}
}

func hasPrimary(u *upstream.Config) bool {
	for _, s := range u.Servers {
		if !s.Backup {
			return true
		}
	}
	return false
}

// upstreamServer reads one server line (ngx_http_upstream_server).
func (in *interpreter) upstreamServer(d *Directive, u *upstream.Config, backupOK bool) {
	s := upstream.NewServer(d.Arg(0))
	for i, a := range d.Args[1:] {
		pos := d.ArgPos(i + 1)
		key, value, has := strings.Cut(a.Text, "=")
		if has {
			key += "="
		}
		ok := true
		if hint, yes := in.tooNew(serverSince, key); yes {
			in.out.add(pos, hint, "invalid parameter \"%s\"", a.Text)
			break
		}
		switch key {
		case "weight=":
			s.Weight, ok = count(value)
			ok = ok && s.Weight > 0
		case "max_fails=":
			s.MaxFails, ok = count(value)
		case "max_conns=":
			s.MaxConns, ok = count(value)
		case "fail_timeout=":
			s.FailTimeout, ok = duration(value, seconds)
		case "down":
			s.Down = true
		case "backup":
			s.Backup = true
			if !backupOK {
				in.out.add(pos, "", "balancing method does not support parameter \"backup\"")
			}
		case "resolve", "service=", "route=", "slow_start=", "drain":
			in.nginxOnlyArg(d, i+1, "changes which server is picked, and not every nginx has it")
		default:
			ok = false
		}
		if !ok {
			in.out.add(pos, serverHint(d, a.Text, key, value), "invalid parameter \"%s\"", a.Text)
			break // nginx stops here too; the rest may be the next line
		}
	}
	a, err := parseAddress(s.Name, 80, forServer)
	if err == "" && in.inStream && a.noPort && !a.unix {
		err = "no port"
	}
	if err != "" {
		in.out.add(d.ArgPos(0), addressHint(s.Name), "%s in upstream \"%s\"", err, s.Name)
	}
	u.Servers = append(u.Servers, s)
}

// serverHint says what an invalid parameter of a server line was meant to be.
func serverHint(d *Directive, arg, key, value string) string {
	if h := missingSemicolon(d); h != "" {
		return h
	}
	switch key {
	case "weight=":
		return "a weight is a whole number from 1"
	case "max_fails=", "max_conns=":
		return "it is a whole number"
	case "fail_timeout=":
		if strings.HasSuffix(value, "ms") {
			return "fail_timeout is in whole seconds"
		}
		return timeHint(value)
	}
	name, _, _ := strings.Cut(arg, "=")
	switch name {
	case "weight", "max_fails", "fail_timeout", "max_conns":
		return "it needs a value: " + name + "=..."
	case "backup", "down":
		return "it takes no value"
	}
	return suggest(name, []string{"weight", "max_fails", "fail_timeout", "backup", "down", "max_conns"})
}

// addressHint helps with an address that is a URL.
func addressHint(s string) string {
	if strings.Contains(s, "://") {
		return "an upstream server is host:port, without http://"
	}
	return ""
}

// count is a number that fits an int.
func count(s string) (int, bool) {
	n := number(s)
	return int(n), n >= 0
}

// zone reads `zone name [size]` and says whether the block has one.
func (in *interpreter) zone(d *Directive) bool {
	name := d.Arg(0)
	if name == "" {
		in.out.add(d.ArgPos(0), "", "invalid zone name \"\"")
		return true
	}
	if len(d.Args) == 1 {
		in.zones[name] += 0
		return true
	}
	n := size(d.Arg(1), "km")
	switch {
	case n < 0:
		in.out.add(d.ArgPos(1), missingSemicolon(d), "invalid zone size \"%s\"", d.Arg(1))
	case n < 8*pageSize:
		in.out.add(d.ArgPos(1), "32k is the least", "zone \"%s\" is too small", name)
	}
	in.zones[name] = max(n, 1)
	return true
}

// zoneWithoutSize complains where a zone is used and no block gives its size.
func (in *interpreter) zoneWithoutSize(ds []*Directive, name string) {
	for _, d := range ds {
		if d.Name.Text != "upstream" {
			continue
		}
		for _, c := range d.Children() {
			if c.Name.Text == "zone" && c.Arg(0) == name {
				in.out.add(c.Pos(), "give its size: zone "+name+" 64k;", "zero size shared memory zone \"%s\"", name)
				return
			}
		}
	}
}

// keepalive reads `keepalive n`.
func (in *interpreter) keepalive(d *Directive, u *upstream.Config, before seen) {
	if !in.once(d, before) {
		return
	}
	v := in.cfg.Version
	n, ok := count(d.Arg(0))
	if !ok || n == 0 && !v.KeepsByDefault() {
		in.out.add(d.ArgPos(0), missingSemicolon(d), "invalid value \"%s\" in \"keepalive\" directive", d.Arg(0))
		return
	}
	u.Keepalive.Connections, u.Keepalive.Local = n, len(d.Args) == 2
	switch {
	case len(d.Args) != 2:
	case !v.KeepsByDefault():
		in.out.add(d.Pos(), in.cameWith("1.29.7"), "invalid number of arguments in \"keepalive\" directive")
	case d.Arg(1) != "local":
		in.out.add(d.ArgPos(1), "", "invalid parameter \"%s\"", d.Arg(1))
	}
}

// noZero notes a zero where the model's zero is nginx's default.
func (in *interpreter) noZero(d *Directive) {
	if t, ok := duration(d.Arg(0), milliseconds); ok && t < time.Millisecond {
		in.nginxOnlyArg(d, 0, "no connection is kept")
	}
}
