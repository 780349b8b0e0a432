package cases

import (
	"fmt"
	"strings"
	"time"
)

// Text is the case as a scenario file.
func (c *Case) Text() string {
	var b strings.Builder
	line := func(indent int, format string, args ...any) {
		fmt.Fprintf(&b, "%*s"+format+"\n", append([]any{indent, ""}, args...)...)
	}
	line(0, "name: %s", c.Name)
	if c.About != "" {
		line(0, "about: %s", c.About)
	}
	line(0, "proxy:")
	line(2, "nginx: |")
	if c.Workers > 1 {
		line(4, "worker_processes %d;", c.Workers)
	}
	c.proxy(line)
	if len(c.Backends) > 0 {
		line(0, "backends:")
	}
	for _, k := range c.Backends {
		line(2, "%s:", k.Name)
		for _, r := range k.Rules {
			if r.When == "" {
				line(4, "- do: %s", r.Do)
				continue
			}
			line(4, "- when: {%s}", r.When)
			line(6, "do: %s", r.Do)
		}
	}
	line(0, "traffic:")
	for i := range c.Traffic {
		line(2, "%s: {%s}", c.Traffic[i].Name, strings.Join(c.Traffic[i].words(c.Listen), ", "))
	}
	line(0, "expect:")
	for _, e := range c.Expect {
		line(2, "- %s", e)
	}
	if len(c.Expect) == 0 {
		line(2, "- fan_out: {of: %s, each: 0..99}", c.Traffic[0].Name)
	}
	return b.String()
}

// proxy writes the configuration.
func (c *Case) proxy(line func(indent int, format string, args ...any)) {
	at := 4
	open := func(format string, args ...any) { line(at, format+" {", args...); at += 2 }
	shut := func() { at -= 2; line(at, "}") }
	all := func(directives []string) {
		for _, d := range directives {
			line(at, "%s;", d)
		}
	}
	if c.Stream {
		open("stream")
		defer shut()
	}
	servers := func(list []Server) {
		for _, s := range list {
			line(at, "%s;", strings.Join(append([]string{"server", s.Name}, s.Params...), " "))
		}
	}
	open("upstream %s", c.Name)
	all(c.Block)
	servers(c.Servers)
	all(c.After)
	shut()
	if len(c.Second) > 0 {
		open("upstream %s", c.second())
		servers(c.Second)
		shut()
	}
	open("server")
	defer shut()
	line(at, "listen %s;", c.Listen)
	if c.Stream {
		line(at, "proxy_pass %s;", c.Name)
		all(c.Location)
		return
	}
	open("location /")
	line(at, "proxy_pass http://%s%s;", c.Name, c.URI)
	all(c.Location)
	if c.Page != "" {
		line(at, "error_page %s;", c.Page)
	}
	shut()
	switch {
	case strings.HasSuffix(c.Page, again):
		open("location %s", again)
		line(at, "proxy_pass http://%s;", c.second())
		all(c.Again)
		shut()
	case c.Page != "":
		line(at, "location = %s { return 410; }", sorry)
	}
}

// Where error pages lead.
const sorry, again = "/sorry", "@again"

// second is the block that @again passes to.
func (c *Case) second() string {
	if len(c.Second) > 0 {
		return c.Name + "-2"
	}
	return c.Name
}

// words are the traffic's keys.
func (t *Traffic) words(listen string) []string {
	w := []string{"request: " + t.Request, fmt.Sprintf("to: %q", listen)}
	if len(t.At) > 0 {
		var at []string
		for _, d := range t.At {
			at = append(at, span(d))
		}
		w = append(w, "at: ["+strings.Join(at, ", ")+"]")
	} else {
		w = append(w, fmt.Sprintf("times: %d", t.Times))
		if t.Start > 0 {
			w = append(w, "start: "+span(t.Start))
		}
		if t.Pause > 0 {
			w = append(w, "pause: "+span(t.Pause))
		}
	}
	return append(w, t.Words...)
}

// span is a duration as one would write it.
func span(d time.Duration) string {
	if d%time.Second != 0 {
		return fmt.Sprintf("%dms", d/time.Millisecond)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
