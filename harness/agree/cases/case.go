package cases

import (
	"fmt"
	"strings"
	"time"
)

// Case is one small scenario: one upstream block, one server, one location. Its
// parts are text in the scenario's own words, so that whatever a scenario can say
// can be drawn, and so that a part can be left out without knowing what it means.
type Case struct {
	// Name is the scenario's, and that of the upstream block; every other name in
	// the case begins with it, so that cases can stand in one configuration.
	Name string
	// base is when it begins: cases that run together neither begin nor go on in the
	// same instants, or a thousand requests would come at once.
	base time.Duration
	// About says where the case comes from.
	About string
	// Listen is the server's, different from that of every case it may stand beside.
	Listen string
	// Workers is worker_processes where it is more than 1. Cases that stand in one
	// configuration have the same.
	Workers int
	// Block are the upstream block's directives before its servers, After those
	// after them, Location the location's beside proxy_pass: each without its ";".
	Block, After, Location []string
	// URI is what proxy_pass has behind the block's name.
	URI      string
	Servers  []Server
	Backends []Backend
	Traffic  []Traffic
	// Expect are the expectations, in YAML.
	Expect []string
}

// Server is one server line.
type Server struct {
	Name   string
	Params []string
}

// Backend is a backend with its rules.
type Backend struct {
	Name  string
	Rules []Rule
}

// Rule is one rule of a backend in flow YAML; When is "" for always.
type Rule struct{ When, Do string }

// Traffic is one source of requests: a user who asks Times times, or instants.
type Traffic struct {
	Name    string
	Request string
	// Words are further keys in flow YAML, such as "body: 10KiB".
	Words []string
	// At are the instants; Times, Start and Pause are used without.
	At           []time.Duration
	Times        int
	Start, Pause time.Duration
}

// Requests is how many requests the case sends.
func (c *Case) Requests() int {
	n := 0
	for i := range c.Traffic {
		n += len(c.Traffic[i].At) + c.Traffic[i].Times
	}
	return n
}

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
	line(4, "upstream %s {", c.Name)
	for _, d := range c.Block {
		line(6, "%s;", d)
	}
	for _, s := range c.Servers {
		line(6, "%s;", strings.Join(append([]string{"server", s.Name}, s.Params...), " "))
	}
	for _, d := range c.After {
		line(6, "%s;", d)
	}
	line(4, "}")
	line(4, "server {")
	line(6, "listen %s;", c.Listen)
	line(6, "location / {")
	line(8, "proxy_pass http://%s%s;", c.Name, c.URI)
	for _, d := range c.Location {
		line(8, "%s;", d)
	}
	line(6, "}")
	line(4, "}")
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
