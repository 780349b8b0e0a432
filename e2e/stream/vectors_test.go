//go:build e2e

package stream

// vectors are sessions one after the other, with what nginx 1.22.1 made of them:
// the attempts of each, what its client got, and how often each server was marked.
var vectors = []struct {
	name string
	// upstream are the directives of the block, server those of the server.
	upstream, server string
	backends         string
	at               string
	want             []string
	marks            string
}{
	{name: "both refuse", upstream: "server a:1; server b:1;",
		backends: "{a:1: [{do: refuse}], b:1: [{do: refuse}]}", at: "100ms, 300ms, 500ms",
		want:  []string{"a:1 refused, b:1 refused, closed", "no live upstreams, closed", "no live upstreams, closed"},
		marks: "a:1=1 b:1=1"},
	{name: "one alone refuses and is never marked", upstream: "server a:1;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 300ms, 500ms",
		want: []string{"a:1 refused, closed", "a:1 refused, closed", "a:1 refused, closed"}},
	{name: "a failed connect counts with proxy_next_upstream off", upstream: "server a:1; server b:1;", server: "proxy_next_upstream off;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 300ms, 500ms",
		want: []string{"a:1 refused, closed", "b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=1"},
	{name: "tries", upstream: "server a:1; server b:1; server c:1;", server: "proxy_next_upstream_tries 2;",
		backends: "{a:1: [{do: refuse}], b:1: [{do: refuse}]}", at: "100ms, 300ms",
		want: []string{"a:1 refused, b:1 refused, closed", "c:1 relayed, 200"}, marks: "a:1=1 b:1=1"},
	{name: "a connect that times out", upstream: "server a:1; server b:1;", server: "proxy_connect_timeout 500ms;",
		backends: "{a:1: [{do: blackhole}]}", at: "100ms, 1300ms",
		want: []string{"a:1 connect_timeout, b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=1"},
	{name: "no time left for the next server", upstream: "server a:1; server b:1;",
		server:   "proxy_connect_timeout 500ms; proxy_next_upstream_timeout 300ms;",
		backends: "{a:1: [{do: blackhole}]}", at: "100ms, 1300ms",
		want: []string{"a:1 connect_timeout, closed", "b:1 relayed, 200"}, marks: "a:1=1"},
	{name: "silence is never counted", upstream: "server a:1; server b:1;", server: "proxy_timeout 300ms;",
		backends: "{a:1: [{do: hang}]}", at: "100ms, 1100ms, 2100ms, 3100ms",
		want: []string{"a:1 relayed, closed", "b:1 relayed, 200", "a:1 relayed, closed", "b:1 relayed, 200"}},
	{name: "a frozen server is never counted", upstream: "server a:1; server b:1;", server: "proxy_timeout 300ms;",
		backends: "{a:1: [{do: freeze}]}", at: "100ms, 1100ms, 2100ms",
		want: []string{"a:1 relayed, closed", "b:1 relayed, 200", "a:1 relayed, closed"}},
	{name: "nor are ends after the connect", upstream: "server a:1; server b:1;",
		backends: "{a:1: [{when: {request: 1}, do: reset}, {when: {request: 2}, do: close}, {when: {request: 3}, do: {close: {at: body, bytes: 1}}}, {do: {reset: {at: header}}}]}",
		at:       "100ms, 1100ms, 2100ms, 3100ms, 4100ms, 5100ms, 6100ms",
		want: []string{"a:1 relayed, closed", "b:1 relayed, 200", "a:1 relayed, closed", "b:1 relayed, 200", "a:1 relayed, 200 truncated",
			"b:1 relayed, 200", "a:1 relayed, 200 truncated"}},
	{name: "an error is an answer like any other", upstream: "server a:1; server b:1;",
		backends: "{a:1: [{do: {status: 503}}]}", at: "100ms, 300ms, 500ms",
		want: []string{"a:1 relayed, 503", "b:1 relayed, 200", "a:1 relayed, 503"}},
	{name: "back at the connect, while the session still lasts", upstream: "server a:1 fail_timeout=1s; server b:1;", server: "proxy_timeout 3s;",
		backends: "{a:1: [{when: {until: 2s}, do: refuse}, {do: hang}]}", at: "100ms, 3100ms, 3200ms, 3300ms, 3400ms, 3500ms, 3600ms, 3700ms",
		want: []string{"a:1 refused, b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200", "a:1 relayed, closed",
			"b:1 relayed, 200", "a:1 relayed, closed", "b:1 relayed, 200", "a:1 relayed, closed"}, marks: "a:1=1"},
	{name: "a failed probe", upstream: "server a:1 fail_timeout=1s; server b:1;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 3100ms, 3200ms, 3300ms, 3400ms",
		want: []string{"a:1 refused, b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200", "a:1 refused, b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=2"},
	{name: "failures add up", upstream: "server a:1 max_fails=2; server b:1;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 300ms, 500ms, 700ms",
		want: []string{"a:1 refused, b:1 relayed, 200", "b:1 relayed, 200", "a:1 refused, b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=1"},
	{name: "a backup", upstream: "server a:1; server b:1 backup;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 300ms",
		want: []string{"a:1 refused, b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=1"},
	{name: "max_conns counts sessions", upstream: "server a:1 max_conns=1; server b:1 max_conns=1;", server: "proxy_timeout 600ms;",
		backends: "{a:1: [{do: hang}], b:1: [{do: hang}]}", at: "100ms, 200ms, 300ms, 1100ms",
		want: []string{"a:1 relayed, closed", "b:1 relayed, closed", "no live upstreams, closed", "b:1 relayed, closed"}},
	{name: "least_conn", upstream: "least_conn; server a:1; server b:1;", server: "proxy_timeout 2s;",
		backends: "{a:1: [{do: hang}]}", at: "100ms, 300ms, 500ms, 700ms",
		want: []string{"a:1 relayed, closed", "b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200"}},
	{name: "weights", upstream: "server a:1 weight=3; server b:1;",
		backends: "{}", at: "100ms, 300ms, 500ms, 700ms, 900ms",
		want: []string{"a:1 relayed, 200", "a:1 relayed, 200", "b:1 relayed, 200", "a:1 relayed, 200", "a:1 relayed, 200"}},
	{name: "a zone and workers", upstream: "zone u 64k; server a:1; server b:1;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 300ms, 500ms, 700ms",
		want: []string{"a:1 refused, b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=1"},
}
