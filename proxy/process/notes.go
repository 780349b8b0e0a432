package process

import (
	"strings"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// unheard are directives that nginx would show its clients and that this proxy
// passes over: with a warning, because they don't make an answer another one.
// quiet is the value that asks for nothing, "" for none.
var unheard = map[string]struct{ quiet, why string }{
	"gzip":                 {"off", "answers go out as they are"},
	"gunzip":               {"off", "answers go out as they are"},
	"lingering_close":      {"on", "clients are waited for as by default"},
	"lingering_time":       {"", "clients are waited for as long as they send"},
	"proxy_bind":           {"off", "connections leave from the kernel's choice of address"},
	"server_tokens":        {"", "the Server header says nolive"},
	"expires":              {"off", "no header is added"},
	"etag":                 {"", "no files are served"},
	"charset":              {"off", "no charset is added"},
	"sub_filter":           {"", "answers go out as they are"},
	"user":                 {"", "the process keeps its user"},
	"worker_rlimit_nofile": {"", "the process keeps its limits"},
}

// warnings are what is said of a configuration that is served all the same.
func (c *configuration) warnings() []string {
	var out []string
	for _, n := range c.Warnings {
		out = append(out, noted(n))
	}
	return append(out, c.ours()...)
}

// noted is a note with its place, if it has one.
func noted(n nginxconf.Note) string {
	if n.Nowhere {
		return n.Text
	}
	return n.Text + " in " + spot(n.Pos)
}

// ours are those that nginx wouldn't say.
func (c *configuration) ours() []string {
	var out []string
	if d := c.Tree.Main("daemon"); d != nil && !strings.EqualFold(d.Arg(0), "off") {
		out = append(out, "\"daemon on\" is ignored: the process stays in the foreground, whoever starts it can put it into the background in "+spot(d.Pos()))
	}
	if d := c.Tree.Main("working_directory"); d != nil {
		out = append(out, "\"working_directory\" is ignored: the process stays where it was started in "+spot(d.Pos()))
	}
	said := map[string]bool{}
	var walk func([]*nginxconf.Directive)
	walk = func(ds []*nginxconf.Directive) {
		for _, d := range ds {
			u, known := unheard[d.Name.Text]
			if known && !said[d.Name.Text] && !(u.quiet != "" && strings.EqualFold(d.Arg(0), u.quiet)) {
				said[d.Name.Text] = true
				out = append(out, "\""+d.Name.Text+"\" is ignored: "+u.why+" in "+spot(d.Pos()))
			}
			walk(d.Children())
		}
	}
	walk(c.Tree.Top())
	return out
}
