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

// Request is the request that meets the example, with the body's size.
func (e Entry) Request() (line string, body int) {
	if strings.HasPrefix(e.Name, "post") {
		return "POST /" + e.Name, 10 << 10
	}
	return "GET /" + e.Name, 0
}

// Scenario is one scenario with a group of two servers for each entry: the first
// does what the example says, the second behaves well. A user of each asks six
// times, in turn with the others, so that the machine isn't asked for all at once.
func Scenario(entries []Entry) string {
	var groups, locations, backends, traffic strings.Builder
	for i, e := range entries {
		request, body := e.Request()
		fmt.Fprintf(&groups, "    upstream %s { server %s-a; server %s-b; keepalive 8; }\n", e.Name, e.Name, e.Name)
		fmt.Fprintf(&locations, "      location /%s { proxy_pass http://%s; }\n", e.Name, e.Name)
		fmt.Fprintf(&backends, "  %s-a: [{do: %s}]\n", e.Name, e.Do)
		fmt.Fprintf(&traffic, "  %s: {request: %s, body: %d, times: 6, start: %dms, pause: 200ms}\n", e.Name, request, body, i*15)
	}
	return fmt.Sprintf(`name: catalogue
nginx_version: "1.22"
proxy:
  nginx: |
%s    server {
      listen 80;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_connect_timeout 1s;
      proxy_send_timeout 1s;
      proxy_read_timeout 1s;
%s    }
backends:
%straffic:
%sexpect:
  - fan_out: {of: %s, each: 1..2}
max_speed: 1
`, &groups, &locations, &backends, &traffic, entries[0].Name)
}
