package scenario

import (
	"strings"
	"testing"
)

// The schema and the loader take and refuse the same values, as far as a value
// alone can show a mistake. This also holds the hand-written limits of the
// schema against the specs.
func TestSchemaAgreesWithTheLoader(t *testing.T) {
	const file = `name: x
proxy: {nginx: "server { location / { proxy_pass http://app:80; } }"}
backends: {app:80: [{WHEN do: DO}]}
traffic: {x: {request: REQUEST, LOAD}}
expect: [EXPECT]
`
	s := compileSchema(t)
	try := func(place string, good bool, values ...string) {
		t.Helper()
		for _, v := range values {
			r := map[string]string{"WHEN ": "", "DO": "hang", "REQUEST": "GET /", "LOAD": "times: 9", "EXPECT": "{status: {of: x, is: 200}}"}
			r[place] = v
			src := file
			for k, v := range r {
				src = strings.Replace(src, k, v, 1)
			}
			_, ps := Parse("x.yaml", []byte(src), nil)
			err := s.Validate(asJSON(t, []byte(src)))
			if (len(ps) == 0) != good {
				t.Errorf("%s: the loader says %v", v, ps)
			}
			if (err == nil) != good {
				t.Errorf("%s: the schema says %v", v, err)
			}
		}
	}
	try("DO", true, "freeze", "{freeze: }", "{freeze: {}}", "{status: 503}", "{status: {code: 599, after: 5s}}", "[{wait: 2s}, {status: 200}]", "[hang]",
		"{respond: {framing: close}}", "{respond: {framing: length, size: 5}}", "{respond: {status: 204}}", "{respond: }",
		"{reset: accept}", "{reset: request}", "{reset: header}", "{close: after_header}", "{close: body}", "{close: {at: body, bytes: 1}}",
		"{drip: {what: header}}", "{drip: {what: body}}", "{drip: {what: both, every: 250ms}}", "{slow_pdf: {size: 2MiB, rate: 1MiB/s}}",
		"{respond: {headers: {X: 1, Y: [a, b]}}}",
		"[{wait: 10ms..50ms}, respond]", "[{wait: {min: 0s, max: 1s}}, respond]", "[{wait: {median: 20ms, p99: 2s}}, respond]", "[{wait: {one_of: [1s, 2s]}}, respond]",
		"[{wait: {first: 1s, last: 2s, over: 60s}}, respond]", "{workers: 4}", "{workers: {count: 4, queue: 10, full: 429}}", "{workers: {count: 4, queue: any, full: reset}}",
		"{malformed: junk}", "{malformed: {what: two_responses, after: 1s}}", "[{wait_for: {backend: app:80}}, respond]",
		"{hang: body}", "{hang: {at: body, share: 50%}}", "{drip: {total: 6s, what: header}}",
		"{respond: {framing: chunked, chunk: 4KiB, trailers: {X: 1}, rate: 10KiB/s, size: 20KiB, interim: 103, read: head, then: linger}}",
		"{respond: {read: 10KiB}}", "{respond: {read: 5}}", "{respond: {framing: http10}}", "{respond: {header_size: 9KiB, length: 5}}",
		"close_on_reuse", "{close_on_reuse: reset}", "{close_on_reuse: {with: blackhole}}", "{keepalive: 5s}", "{keepalive: {requests: 2, silent: true, with: reset}}")
	try("DO", false, "freez", "status", "wait", "{freeze: 5}", "{status: 199}", "{status: 600}", "{status: {code: 600}}", "{status: {}}", "{status: ok}", "[]", "5", "{}",
		"[{wait: 5}, respond]", "[{wait: {}}, respond]", "[{wait: {median: 5s}}, respond]", "[{wait: {first: 5s}}, respond]", "workers", "{workers: 0}", "{workers: {queue: 5}}",
		"{workers: {count: 4, full: 100}}", "{workers: {count: 4, full: stay}}", "{workers: {count: 4, queue: -1}}", "malformed", "{malformed: garbage}", "{malformed: {after: 1s}}", "[{wait_for: {requests: 2}}, respond]", "{respond: {framing: chunk}}", "{respond: {then: stay}}", "{respond: {interim: 200}}", "{respond: {read: some}}", "{hang: middle}", "{respond: 5}", "{reset: middle}", "{close: {at: end}}", "{drip: {what: all}}", "{drip: {evry: 1s}}",
		"{slow_pdf: {size: big}}", "{slow_pdf: {rate: 5/m}}", "{hang: , freeze: }", "{close: {share: 120%, at: body}}", "{respond: {after: 5}}",
		"keepalive", "{keepalive: {}}", "{keepalive: {silent: true}}", "{keepalive: {idle: 5s, with: rst}}", "{close_on_reuse: rst}", "{close_on_reuse: {at: body}}")
	try("WHEN ", true, "when: {request: 3}, ", "when: {request: 1..2}, ", "when: {request: 3..}, ", "when: {share: 10%}, ", "when: {share: 0.5%}, ", "when: {every: 2}, ",
		"when: {from: 0s, until: 1h30m}, ", "when: {from: 0}, ", "when: {lasts: 2s, repeats: 7s}, ", "when: {header: {X: 5}}, ")
	try("WHEN ", false, "when: {request: 0}, ", "when: {request: a}, ", "when: {share: 10}, ", "when: {every: 0}, ", "when: {until: 5}, ", "when: {until: -5s}, ", "wen: {}, ", "when: [], ")
	try("REQUEST", true, "POST /a?b=c", "HEAD /%20")
	try("REQUEST", false, "get /", "/", "GET", "GET a", "GET /a b", "5", "[GET, /]")
	try("LOAD", true, "for: 1h", "times: 2, for: 1h", "at: [0s, 1s]", "rate: 5/s, for: 1h", "rate: 0.5 / m, for: 1h, arrivals: poisson, start: 1s..2s", "times: 1, users: 3, pause: 0, start: 1s",
		"times: 1, client: {http: '1.0'}", "times: 1, client: {http: 1.1}", "times: 1, body: 10KiB", "times: 1, body: 5", "times: 1, body: 5, framing: chunked", "times: 1, body: 5, framing: length", "times: 1, headers: {A: b}")
	try("LOAD", false, "users: 3", "rate: 5/s", "rate: 5, for: 1h", "rate: 5/d, for: 1h", "rate: 5/s, for: 1h, users: 3", "at: [0s], for: 1h", "at: [5]", "times: 0", "times: 1.5", "times: 1, users: 0",
		"times: 1, pause: 5", "times: 1, pause: 5s..", "times: 1, arrivals: even", "for: 1h, arrivals: odd", "times: 1, client: {http: '2.0'}", "times: 1, client: {keepalive: 1}",
		"times: 1, body: 10kb", "times: 1, body: 5, framing: close", "times: 1, headers: {'a b': c}", "times: 1, headers: [a]")
	try("EXPECT", true, "{status: {of: x, is: 5xx, count: 0}}", "{status: {of: x, is: closed}}", "{status: {of: x, is: '200', count: '> 1'}}", "{share: {of: x, status: 200, is: 12%..21%}}", "{share: {of: x, status: 200, is: < 5%}}",
		"{latency: {of: x, p50: 60s ±1s}}", "{latency: {of: x, max: '>= 5s', p99: 1s..2s}}", "{slow: {of: x, over: 59s, count: 2..4}}", "{fan_out: {of: x, distinct: true, each: 2}}", "{fan_out: {of: x, distinct: 2}}",
		"{out: {backend: '*', still: false}}", "{in_rotation: {backend: '*', at: 0s}}", "{marked: {backend: '*', during: 1s..}}", "{attempts: {of: x, outcome: read_timeout, count: 1}}",
		"{attempts: {backend: '*', is: 5%, of: x}}", "{sequence: {of: x, status: [200, closed]}}")
	try("EXPECT", false, "{}", "{status: {of: x}}", "{status: {is: 200}}", "{status: {of: x, is: 6xx}}", "{status: {of: x, is: 20}}", "{status: {of: x, is: 200, count: 5%}}", "{status: {of: x, is: 200, count: -1}}", "{status: {of: x, is: 200, count: '=> 1'}}",
		"{share: {of: x, status: 200, is: 5s}}", "{latency: {of: x, p50: 60}}", "{latency: {of: x, p51: 60s}}", "{slow: {of: x, over: 59, count: 1}}", "{slow: {of: x, over: 59s}}",
		"{out: {backend: '*', still: maybe}}", "{in_rotation: {backend: '*', at: 5}}", "{marked: {}}", "{marked: {backend: '*', during: 5s}}", "{attempts: {of: x, outcome: lost, count: 1}}",
		"{sequence: {of: x, status: 200}}", "{status: {of: x, is: 200}, marked: {backend: '*'}}", "status")
}
