// Package catalogue is every kind of fault by example, as text: tests play each
// example on sockets, evaluate it, and hold the engines against each other with
// it. It never reads what the examples say.
package catalogue

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed catalogue.yaml
var text string

// Entry is one example.
type Entry struct {
	// Name of the example, in lower case with hyphens.
	Name string
	// Do is what stands under do:, in one line.
	Do string
}

// Entries returns every example, in the order of the file.
func Entries() []Entry {
	var out []Entry
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, do, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			out = append(out, Entry{name, do})
		}
	}
	return out
}

// Race says, for an example in which a microsecond decides between two outcomes,
// what it decides; "" for all others.
func (e Entry) Race() string { return races[e.Name] }

var races = map[string]string{
	"reset-accept":     "whether the reset meets the proxy in connect() or behind it",
	"post-early-close": "whether the proxy has read the answer before the reset drops it",
	"post-early-reset": "whether the proxy has read the answer before the reset drops it",
	"last-resets":      "whether the proxy has read the answer before the reset drops it",
}

// Request is the request that meets the example: its method and its body's size.
func (e Entry) Request() (method string, body int) {
	if strings.HasPrefix(e.Name, "post") {
		return "POST", 10 << 10
	}
	return "GET", 0
}

// Scenario is one scenario with a group of two servers for each entry: the first
// does what the example says, the second behaves well. A user of each asks six
// times, in turn with the others, so that the machine isn't asked for all at once.
func Scenario(entries []Entry) string { return write(entries, Group{}) }

// OverSockets is Scenario with all servers on unix sockets.
func OverSockets(entries []Entry) string { return write(entries, Group{Sockets: true}) }

func write(entries []Entry, like Group) string {
	var groups []Group
	for i, e := range entries {
		method, body := e.Request()
		groups = append(groups, Group{Entry: e, Name: e.Name, Servers: 2, Method: method, Body: body, Sockets: like.Sockets,
			Load: fmt.Sprintf("times: 6, start: %dms, pause: 200ms", i*15), Scheme: "http", Block: "keepalive 8; "})
	}
	return Write("catalogue", groups, fmt.Sprintf(`expect:
  - fan_out: {of: %s, each: 1..2}
nginx_version: "1.22"
max_speed: 1
`, entries[0].Name))
}
