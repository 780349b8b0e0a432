package vectors

// vector is one row of the table: a topology, faults, requests, and what nginx
// answers. Servers are A, B and C; in the expectation they are 1, 2 and 3.
type vector struct {
	name string
	// servers are the server lines, separated by ";". Without max_fails and
	// fail_timeout they have 1 and 5 s.
	servers string
	// keepalive is true with `keepalive 8` and what it needs.
	keepalive bool
	// location are further directives; proxy_read_timeout is 1 s without one.
	location string
	// faults are rules of a server, "WHEN -> DO" separated by "|"; without an
	// arrow they always hold.
	faults map[string]string
	// load are the traffics, each "METHOD WORDS".
	load []string
	// want is what each request, in the order of sending, comes to: the status that
	// nginx logs and the attempts with theirs; "u" is a pick without a live peer.
	want []string
	// marks are the peers that are out at the end.
	marks string
	// picked says how often A was picked among the requests sent from one instant to
	// another, in ms, where the table gives that instead.
	picked []window
	// tried and answered say how often each was, where the table gives that instead.
	tried, answered map[string]int
	// truncated are the numbers of the requests whose body broke off.
	truncated []int
	// slow is the number of a request that takes a second.
	slow int
	// since and before are the first version of nginx that the row is about, and the
	// first that it isn't any more; "" is no bound. version is one of those, for a row
	// with a before: what the simulator and the reference proxy are where nginx is none.
	since, before, version string
}

// window is a number of picks among the requests of some time.
type window struct{ from, until, times int }

const nu503 = "proxy_next_upstream error timeout http_503;"

// three is a list of instants 100 ms apart, from 100 ms on.
const (
	two   = "at: [100ms, 200ms]"
	three = "at: [100ms, 200ms, 300ms]"
	four  = "at: [100ms, 200ms, 300ms, 400ms]"
	ten   = "at: [100ms, 150ms, 200ms, 250ms, 300ms, 350ms, 400ms, 450ms, 500ms, 550ms]"
)

var table = []vector{
	// A request that finds nobody forgives everybody before 1.11.5.
	{name: "v1", since: "1.11.5", servers: "A; B", faults: map[string]string{"A": "refuse", "B": "refuse"},
		load: []string{"GET " + three}, want: []string{"502 1:502+2:502", "502 u:502", "502 u:502"}, marks: "A B"},
	{name: "v2", servers: "A", faults: map[string]string{"A": "reset"},
		load: []string{"GET " + three}, want: []string{"502 1:502", "502 1:502", "502 1:502"}},
	{name: "v3", since: "1.13.7", servers: "A; B", location: nu503, faults: map[string]string{"A": "{status: 503}", "B": "{status: 503}"},
		load: []string{"GET " + three}, want: []string{"503 1:503+2:503", "502 2:503+u:502", "502 u:502"}, marks: "A B"},
	{name: "v3-old", since: "1.11.5", before: "1.13.7", version: "1.13.6", servers: "A; B", location: nu503, faults: map[string]string{"A": "{status: 503}", "B": "{status: 503}"},
		load: []string{"GET " + three}, want: []string{"503 1:502+2:503", "502 2:502+u:502", "502 u:502"}, marks: "A B"},
	{name: "v4", since: "1.13.11", servers: "A; B", location: nu503, faults: map[string]string{"A": "{status: 503}", "B": "{status: 503}"},
		load: []string{"POST " + three}, want: []string{"503 1:503", "503 2:503", "503 1:503"}},
	{name: "v4-old", since: "1.13.7", before: "1.13.11", version: "1.13.10", servers: "A; B", location: nu503, faults: map[string]string{"A": "{status: 503}", "B": "{status: 503}"},
		load: []string{"POST " + three}, want: []string{"503 1:503", "503 2:503", "502 u:502"}, marks: "A B"},
	{name: "v4-older", since: "1.11.5", before: "1.13.7", version: "1.13.6", servers: "A; B", location: nu503, faults: map[string]string{"A": "{status: 503}", "B": "{status: 503}"},
		load: []string{"POST " + three}, want: []string{"502 1:502", "502 2:502", "502 u:502"}, marks: "A B"},
	{name: "v5-404", servers: "A; B", location: "proxy_next_upstream error timeout http_404;", faults: map[string]string{"A": "{status: 404}"},
		load: []string{"GET " + four}, want: []string{"200 1:404+2:200", "200 2:200", "200 1:404+2:200", "200 2:200"}},
	{name: "v5-429", since: "1.11.13", servers: "A; B", location: "proxy_next_upstream error timeout http_429;", faults: map[string]string{"A": "{status: 429}"},
		load: []string{"GET " + three}, want: []string{"200 1:429+2:200", "200 2:200", "200 2:200"}, marks: "A"},
	{name: "v6a", since: "1.9.13", servers: "A; B", faults: map[string]string{"A": "reset"},
		load: []string{"POST " + three}, want: []string{"502 1:502", "200 2:200", "200 2:200"}, marks: "A"},
	{name: "v6a-old", before: "1.9.13", version: "1.9.12", servers: "A; B", faults: map[string]string{"A": "reset"},
		load: []string{"POST " + three}, want: []string{"200 1:502+2:200", "200 2:200", "200 2:200"}, marks: "A"},
	{name: "v6b", servers: "A; B", location: "proxy_next_upstream off;", faults: map[string]string{"A": "reset"},
		load: []string{"GET " + three}, want: []string{"502 1:502", "200 2:200", "200 2:200"}, marks: "A"},
	{name: "v7a", servers: "A; B", faults: map[string]string{"A": "hang", "B": "refuse"},
		load: []string{"GET at: [100ms]"}, want: []string{"502 1:504+2:502"}, marks: "A B"},
	{name: "v7b", servers: "A; B", faults: map[string]string{"A": "refuse", "B": "hang"},
		load: []string{"GET at: [100ms]"}, want: []string{"504 1:502+2:504"}, marks: "A B"},
	{name: "v8", servers: "A; B max_fails=0", faults: map[string]string{"A": "reset", "B": "hang"},
		load: []string{"GET times: 2, start: 100ms, pause: 100ms"}, want: []string{"504 1:502+2:504", "502 2:504+u:502"}, marks: "A"},
	{name: "v9", servers: "A max_fails=2; B max_fails=2", faults: map[string]string{"A": "request: 1 -> reset | request: 4 -> reset"},
		load: []string{"GET " + ten}, want: []string{"200 1:502+2:200", "200 2:200", "200 1:200", "200 2:200", "200 1:200", "200 2:200",
			"200 1:502+2:200", "200 2:200", "200 2:200", "200 2:200"}, marks: "A"},
	{name: "v10", servers: "A max_fails=2 fail_timeout=2s; B max_fails=2 fail_timeout=2s", faults: map[string]string{"A": "reset"},
		load: []string{"GET at: [100ms, 200ms, 6100ms, 6200ms, 6300ms, 6400ms]"},
		want: []string{"200 1:502+2:200", "200 2:200", "200 1:502+2:200", "200 2:200", "200 2:200", "200 2:200"}, marks: "A"},
	{name: "v11", servers: "A fail_timeout=2s; B fail_timeout=2s", faults: map[string]string{"A": "request: 1 -> reset"},
		load: []string{"GET at: [100ms, 2700ms, 2750ms, 2800ms, 2850ms, 3100ms, 3200ms, 3300ms, 3400ms]"},
		want: []string{"200 1:502+2:200", "200 2:200", "200 2:200", "200 2:200", "200 2:200", "200 2:200", "200 2:200", "200 1:200", "200 2:200"}},
	{name: "v12", servers: "A fail_timeout=1s; B fail_timeout=1s",
		faults: map[string]string{"A": "request: 1 -> reset | request: 2 -> {respond: {status: 200, after: 800ms}}"},
		load:   []string{"GET at: [100ms, 2100ms, 2200ms]", "GET at: [2300ms], client: {timeout: 200ms}", "GET at: [2600ms, 2700ms, 2800ms, 2900ms]"},
		want:   []string{"200 1:502+2:200", "200 2:200", "200 2:200", "499 1:-", "200 2:200", "200 1:200", "200 2:200", "200 1:200"}},
	{name: "v12-truncated", servers: "A fail_timeout=1s; B fail_timeout=1s",
		faults: map[string]string{"A": "request: 1 -> reset | request: 2 -> {close: {at: body}}"},
		load:   []string{"GET at: [100ms, 2100ms, 2200ms, 2300ms, 2600ms, 2700ms, 2800ms, 2900ms]"},
		want:   []string{"200 1:502+2:200", "200 2:200", "200 2:200", "200 1:200", "200 2:200", "200 1:200", "200 2:200", "200 1:200"}, truncated: []int{4}},
	{name: "v12-unlisted", servers: "A fail_timeout=1s; B fail_timeout=1s",
		faults: map[string]string{"A": "request: 1 -> reset | request: 2 -> {status: 503}"},
		load:   []string{"GET at: [100ms, 2100ms, 2200ms, 2300ms, 2600ms, 2700ms, 2800ms, 2900ms]"},
		want:   []string{"200 1:502+2:200", "200 2:200", "200 2:200", "503 1:503", "200 2:200", "200 1:200", "200 2:200", "200 1:200"}},
	{name: "v13", servers: "A fail_timeout=1s; B fail_timeout=1s", location: "proxy_read_timeout 8s;",
		faults: map[string]string{"A": "request: 1 -> [{wait: 4200ms}, reset] | request: 2 -> reset | request: 3 -> {respond: {status: 200, after: 3s}}"},
		load:   []string{"GET at: [100ms, 150ms, 200ms, 2150ms, 2200ms, 2250ms, 5300ms, 5350ms, 5400ms, 5450ms, 6300ms, 6350ms, 6400ms, 6450ms]"},
		picked: []window{{100, 200, 2}, {2150, 2250, 1}, {5300, 5450, 0}, {6300, 6450, 1}}},
	{name: "v14", servers: "A fail_timeout=1s; B fail_timeout=1s", location: "proxy_read_timeout 8s;",
		faults: map[string]string{"A": "request: 1 -> reset | {respond: {status: 200, after: 3400ms}}"},
		load:   []string{"GET at: [100ms, 150ms, 2100ms, 2350ms, 2600ms, 2850ms, 3100ms, 3350ms, 3600ms, 3850ms, 4100ms, 4350ms, 4600ms, 4850ms]"},
		picked: []window{{100, 150, 1}, {2100, 2500, 0}, {2600, 2600, 1}, {2700, 4300, 0}, {4350, 4350, 1}, {4400, 4900, 0}}},
	{name: "v15", since: "1.9.13", servers: "A; B", keepalive: true, faults: map[string]string{"A": "exchange: 2 -> close"},
		load: []string{"GET at: [100ms, 200ms, 300ms, 400ms, 500ms]"},
		want: []string{"200 1:200", "200 2:200", "200 1:502+2:200", "200 2:200", "200 2:200"}, marks: "A"},
	{name: "v15-old", before: "1.9.13", version: "1.9.12", servers: "A; B", keepalive: true, faults: map[string]string{"A": "exchange: 2 -> close"},
		load: []string{"GET at: [100ms, 200ms, 300ms, 400ms, 500ms]"},
		want: []string{"200 1:200", "200 2:200", "200 1:-+2:200", "200 2:200", "200 2:200"}, marks: "A"},
	{name: "v16-get", since: "1.9.13", servers: "A", keepalive: true, faults: map[string]string{"A": "request: 2 -> close"},
		load: []string{"GET " + three}, want: []string{"200 1:200", "200 1:502+1:200", "200 1:200"}},
	{name: "v16-post", since: "1.9.13", servers: "A", keepalive: true, faults: map[string]string{"A": "request: 2 -> close"},
		load: []string{"POST " + three}, want: []string{"200 1:200", "502 1:502", "200 1:200"}},
	{name: "v16-old", before: "1.9.13", version: "1.9.12", servers: "A", keepalive: true, location: "proxy_next_upstream off;", faults: map[string]string{"A": "request: 2 -> close"},
		load: []string{"POST " + three}, want: []string{"200 1:200", "200 1:-+1:200", "200 1:200"}},
	{name: "v17", since: "1.9.13", servers: "A; B", keepalive: true, location: "proxy_next_upstream_tries 1;", faults: map[string]string{"A": "exchange: 2 -> close"},
		load: []string{"GET " + three}, want: []string{"200 1:200", "200 2:200", "200 1:502+2:200"}, marks: "A"},
	{name: "v18", since: "1.11.5", servers: "A; B", keepalive: true, faults: map[string]string{"A": "exchange: 2 -> reset", "B": "exchange: 2 -> reset"},
		load: []string{"GET " + four}, want: []string{"200 1:200", "200 2:200", "502 1:502+2:502+u:502", "502 u:502"}, marks: "A B"},
	{name: "v19", servers: "A; B", faults: map[string]string{"A": "{drip: {every: 150ms, bytes: 1, what: header}}"},
		load: []string{"GET times: 2, start: 100ms, pause: 100ms"}, want: []string{"200 1:504+2:200", "200 2:200"}, marks: "A", slow: 1},
	{name: "v20-reset", servers: "A; B", faults: map[string]string{"A": "{reset: {at: body, size: 100, bytes: 10}}"},
		load: []string{"GET " + four}, want: []string{"200 1:200", "200 2:200", "200 1:200", "200 2:200"}, truncated: []int{1, 3}},
	{name: "v20-fin", servers: "A; B", faults: map[string]string{"A": "{close: {at: body, size: 100, bytes: 10}}"},
		load: []string{"GET " + four}, want: []string{"200 1:200", "200 2:200", "200 1:200", "200 2:200"}, truncated: []int{1, 3}},
	{name: "v20-hang", servers: "A; B", faults: map[string]string{"A": "{hang: {at: body, size: 100, bytes: 10}}"},
		load: []string{"GET times: 4, start: 100ms, pause: 100ms"}, want: []string{"200 1:200", "200 2:200", "200 1:200", "200 2:200"}, truncated: []int{1, 3}},
	{name: "v21", since: "1.19.6", servers: "A; B down", faults: map[string]string{"A": "hang"},
		load: []string{"GET times: 2, start: 100ms, pause: 100ms"}, want: []string{"504 1:504", "502 u:502"}, marks: "A"},
	{name: "v21-old", since: "1.11.5", before: "1.19.6", version: "1.19.5", servers: "A; B down", faults: map[string]string{"A": "hang"},
		load: []string{"GET times: 2, start: 100ms, pause: 100ms"}, want: []string{"502 1:504+u:502", "502 u:502"}, marks: "A"},
	{name: "v22", servers: "A weight=4 max_fails=2 fail_timeout=9s; B weight=4 max_fails=2 fail_timeout=9s", faults: map[string]string{"A": "request: 1 -> reset"},
		load: []string{"GET at: [100ms, 150ms, 200ms, 250ms, 300ms, 350ms, 400ms, 450ms]"},
		want: []string{"200 1:502+2:200", "200 2:200", "200 2:200", "200 1:200", "200 2:200", "200 1:200", "200 2:200", "200 1:200"}},
	{name: "v23a", since: "1.11.5", servers: "A; B backup", faults: map[string]string{"A": "reset", "B": "reset"},
		load: []string{"GET " + three}, want: []string{"502 1:502+2:502", "502 u:502", "502 u:502"}, marks: "A B"},
	{name: "v23b", servers: "A fail_timeout=1s; B fail_timeout=1s backup", faults: map[string]string{"A": "until: 1s -> reset"},
		load: []string{"GET at: [100ms, 200ms, 2100ms, 2200ms, 2300ms]"},
		want: []string{"200 1:502+2:200", "200 2:200", "200 1:200", "200 1:200", "200 1:200"}},
	{name: "v24", servers: "A; A", faults: map[string]string{"A": "reset"},
		load: []string{"GET " + two}, want: []string{"502 1:502+1:502", "502 u:502"}, marks: "A"},
	{name: "v25", since: "1.11.5", servers: "A; B", faults: map[string]string{"A": "reset", "B": "reset"},
		load: []string{"GET at: [100ms, 200ms, 300ms, 400ms, 500ms, 600ms]"},
		want: []string{"502 1:502+2:502", "502 u:502", "502 u:502", "502 u:502", "502 u:502", "502 u:502"}, marks: "A B"},
	{name: "v25-old", before: "1.11.5", version: "1.11.4", servers: "A; B", faults: map[string]string{"A": "reset", "B": "reset"},
		load:  []string{"GET at: [100ms, 200ms, 300ms, 400ms, 500ms, 600ms]"},
		tried: map[string]int{"A": 3, "B": 3}, marks: "A B"},
	{name: "v26", servers: "A; B", location: "proxy_connect_timeout 1s;", faults: map[string]string{"A": "blackhole"},
		load: []string{"POST times: 2, start: 100ms, pause: 100ms"}, want: []string{"200 1:504+2:200", "200 2:200"}, marks: "A", slow: 1},
	{name: "v27", servers: "A; B; C", location: "proxy_next_upstream_tries 2;", faults: map[string]string{"A": "reset", "B": "reset"},
		load: []string{"GET " + two}, want: []string{"502 1:502+2:502", "200 3:200"}, marks: "A B"},
	{name: "v28", servers: "A weight=5; B; C",
		load: []string{"GET at: [100ms, 150ms, 200ms, 250ms, 300ms, 350ms, 400ms]"},
		want: []string{"200 1:200", "200 1:200", "200 2:200", "200 1:200", "200 3:200", "200 1:200", "200 1:200"}},
	{name: "v29", servers: "A fail_timeout=2s; B fail_timeout=2s", faults: map[string]string{"A": "until: 1s -> reset", "B": "until: 1s -> reset"},
		load: []string{"GET at: [100ms, 200ms, 3100ms, 3200ms, 3300ms, 3400ms]"},
		want: []string{"502 1:502+2:502", "502 u:502", "200 2:200", "200 2:200", "200 1:200", "200 2:200"}},
	{name: "v30", servers: "A; B", faults: map[string]string{"A": "{malformed: junk}"},
		load: []string{"GET " + three}, want: []string{"009 1:200", "200 2:200", "009 1:200"}},
	// nginx-tests, upstream.t, "failures".
	{name: "v31", servers: "A max_fails=3 fail_timeout=10s; B max_fails=3 fail_timeout=10s", faults: map[string]string{"A": "every: 3 -> close"},
		load:  []string{"GET times: 30, start: 50ms, pause: 20ms"},
		tried: map[string]int{"A": 9}, answered: map[string]int{"A": 6, "B": 24}, marks: "A"},
}
