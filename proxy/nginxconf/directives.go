package nginxconf

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// directivesText is the table of nginx's directives; its head says how to read it.
//
//go:embed directives.txt
var directivesText string

// context is a set of places that a directive may stand in.
type context uint16

const (
	inMain context = 1 << iota
	inEvents
	inHTTP
	inServer
	inLocation
	inUpstream
	inServerIf
	inLocationIf
	inLimitExcept
	inStream
	inStreamServer
	inStreamUpstream
	inAny = 1<<iota - 1
)

var contextNames = []struct {
	bit  context
	name string
}{
	{inMain, "main"}, {inEvents, "events"}, {inHTTP, "http"}, {inServer, "server"}, {inLocation, "location"},
	{inUpstream, "upstream"}, {inServerIf, "if-server"}, {inLocationIf, "if"}, {inLimitExcept, "limit"},
	{inStream, "stream"}, {inStreamServer, "stream-server"}, {inStreamUpstream, "stream-upstream"}, {inAny, "any"},
}

// kind says what a directive means here.
type kind uint8

const (
	modelled kind = iota
	ignored
	nginxOnly
)

// spec is one line of the table: a directive in its contexts.
type spec struct {
	name  string
	in    context
	args  string // "12", "1+", "any"
	block bool
	value string // how nginx checks the value, "" for its own way
	kind  kind
	// only and not restrict nginxOnly to, or to anything but, this first argument.
	only, not string
	reason    string
}

// table is directives.txt read, by name, and the names in order.
type table struct {
	byName map[string][]spec
	names  []string
}

var directives = sync.OnceValue(func() table {
	t := table{byName: map[string][]spec{}}
	for n, line := range strings.Split(directivesText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		s, err := readSpec(line)
		if err != nil {
			panic(fmt.Sprintf("directives.txt:%d: %v", n+1, err))
		}
		t.byName[s.name] = append(t.byName[s.name], s)
	}
	for name := range t.byName {
		t.names = append(t.names, name)
	}
	slices.Sort(t.names)
	return t
})

func readSpec(line string) (spec, error) {
	line, reason, _ := strings.Cut(line, " : ")
	f := strings.Fields(line)
	if len(f) != 4 {
		return spec{}, fmt.Errorf("want four columns, got %q", line)
	}
	s := spec{name: f[0], reason: reason}
	for _, c := range strings.Split(f[1], ",") {
		bit := contextBit(c)
		if bit == 0 {
			return spec{}, fmt.Errorf("unknown context %q", c)
		}
		s.in |= bit
	}
	s.args, s.value, _ = strings.Cut(f[2], ":")
	s.args, s.block = strings.CutSuffix(s.args, "{}")
	name, value, _ := strings.Cut(strings.TrimSuffix(f[3], "]"), "[")
	if v, ok := strings.CutPrefix(value, "!"); ok {
		s.not = v
	} else {
		s.only = value
	}
	switch name {
	case "modelled":
		s.kind = modelled
	case "ignored":
		s.kind = ignored
	case "nginx":
		s.kind = nginxOnly
		if reason == "" {
			return spec{}, fmt.Errorf("no reason for %q", s.name)
		}
	default:
		return spec{}, fmt.Errorf("unknown kind %q", f[3])
	}
	return s, nil
}

func contextBit(name string) context {
	for _, c := range contextNames {
		if c.name == name {
			return c.bit
		}
	}
	return 0
}

// String is the contexts for a hint.
func (c context) String() string {
	words := map[context]string{inServerIf: "if in server", inLocationIf: "if in location", inLimitExcept: "limit_except",
		inStreamServer: "server of stream", inStreamUpstream: "upstream of stream"}
	var out []string
	for _, n := range contextNames {
		if c&n.bit == 0 || n.bit == inAny {
			continue
		}
		if w := words[n.bit]; w != "" {
			out = append(out, w)
		} else {
			out = append(out, n.name)
		}
	}
	return strings.Join(out, ", ")
}

// find returns the directive's spec for a context; known is true when the name
// exists in any context.
func find(name string, in context) (s spec, here, known bool) {
	all := directives().byName[name]
	for _, s := range all {
		if s.in&in != 0 {
			return s, true, true
		}
	}
	return spec{}, false, len(all) > 0
}

// means is the spec's kind for a directive with these arguments.
func (s spec) means(d *Directive) kind {
	if s.kind != nginxOnly {
		return s.kind
	}
	first := d.Arg(0)
	if s.only != "" && first != s.only || s.not != "" && first == s.not {
		return ignored
	}
	return nginxOnly
}

// takes says whether the number of arguments is right.
func (s spec) takes(n int) bool {
	switch s.args {
	case "any":
		return true
	case "1+":
		return n >= 1
	case "2+":
		return n >= 2
	}
	return n < 10 && strings.ContainsRune(s.args, rune('0'+n))
}
