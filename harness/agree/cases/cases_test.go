package cases_test

import (
	"strings"
	"testing"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/agree/cases"
)

// The same seed is the same case; another one, or a redraw, is another.
func TestDrawIsAFunctionOfTheSeed(t *testing.T) {
	seen := map[string]uint64{}
	for seed := range uint64(300) {
		text := cases.Draw(seed, 0).Text()
		if again := cases.Draw(seed, 0).Text(); again != text {
			t.Fatalf("seed %d: two cases:\n%s\n%s", seed, text, again)
		}
		if cases.Draw(seed, 1).Text() == text {
			t.Errorf("seed %d: the redraw is the same", seed)
		}
		if other, ok := seen[text]; ok {
			t.Errorf("seeds %d and %d are the same", seed, other)
		}
		seen[text] = seed
	}
}

// Everything that a case may have is drawn, and often enough to matter.
func TestDrawReachesEverything(t *testing.T) {
	var all strings.Builder
	through := 0 // stream, whose clients judge what is malformed themselves
	for seed := range uint64(2000) {
		one := cases.Draw(seed, 0)
		all.WriteString(one.Text())
		if one.Stream && strings.Contains(one.Text(), "malformed: ") {
			through++
		}
	}
	text := all.String()
	if through < 10 {
		t.Errorf("malformed through stream is in 2,000 cases %d times", through)
	}
	for _, word := range []string{
		"least_conn", "ip_hash", "hash $request_uri;", "consistent", "random;", "random two", "zone ",
		"weight=", "max_fails=0", "fail_timeout=0s", "max_conns=", " down", " backup",
		"keepalive 1", "keepalive_requests", "keepalive_timeout", "keepalive_time ", "proxy_http_version 1.1",
		"proxy_next_upstream off", "non_idempotent", "invalid_header", "http_404", "proxy_next_upstream_tries", "proxy_next_upstream_timeout",
		"proxy_send_timeout", "proxy_ignore_client_abort",
		"do: refuse", "do: freeze", "do: blackhole", "do: reset", "do: close", "do: hang", "status:", "drip:", "slow_pdf:", "wait:",
		"at: accept", "at: header", "at: after_header", "at: body", "framing: close", "Connection: close", "keepalive: {", "close_on_reuse:",
		"request: 1", "every:", "from:", "exchange:", "connection:", "share:",
		"GET ", "POST ", "HEAD ", "LOCK ", "keepalive: true", "timeout:", "worker_processes 2", "proxy_buffering off", "proxy_buffer_size 1k",
		"framing: chunked", "framing: http10", "trailers:", "at: body, framing: chunked", "interim: 103", "interim: 100",
		"proxy_request_buffering off", "client_body_buffer_size 1k", "framing: chunked}", "body: 200KiB", "read: head", "then: close", "then: hang",
		"stream {", "proxy_timeout", "proxy_intercept_errors on", "error_page", "@again", "location = /sorry", `X-Accel-Redirect: "/sorry"`, `X-Accel-Redirect: "@again"`,
		"set_real_ip_from", "real_ip_recursive on", "X-Forwarded-For:", "keepalive_timeout 0;", "keepalive_timeout 1050ms;",
		"header_size: 4096", "header_size: 9KiB", `http: "1.0"`, "address:", "body:",
	} {
		if n := strings.Count(text, word); n < 10 {
			t.Errorf("%q is in 2,000 cases %d times", word, n)
		}
	}
	for _, what := range fault.Malformations() {
		if n := strings.Count(text, "malformed: "+what) + strings.Count(text, "what: "+what); n < 10 {
			t.Errorf("malformed %s is in 2,000 cases %d times", what, n)
		}
	}
}

// Each smaller case lacks something, and none comes back to where it began.
func TestSmaller(t *testing.T) {
	for seed := range uint64(200) {
		c := cases.Draw(seed, 0)
		before := c.Text()
		for _, n := range c.Smaller() {
			if n.Text() == before {
				t.Fatalf("seed %d: nothing is missing in\n%s", seed, n.Text())
			}
			if n.Requests() > c.Requests() || len(n.Servers) > len(c.Servers) || len(n.Traffic) == 0 {
				t.Fatalf("seed %d: it isn't smaller:\n%s", seed, n.Text())
			}
		}
		if c.Text() != before {
			t.Fatalf("seed %d: making it smaller changed it", seed)
		}
		for k := 0; ; k++ { // it comes to an end
			all := c.Smaller()
			if len(all) == 0 {
				break
			}
			if k > 300 {
				t.Fatalf("seed %d: it gets smaller for ever", seed)
			}
			c = all[0]
		}
	}
}

func TestRenamed(t *testing.T) {
	for seed := range uint64(200) {
		text := cases.Draw(seed, 0).Renamed("other", "77").Text()
		for line := range strings.SplitSeq(text, "\n") {
			if strings.Contains(line, "about") {
				continue
			}
			for _, old := range []string{cases.Draw(seed, 0).Name + "-", "//" + cases.Draw(seed, 0).Name, "upstream " + cases.Draw(seed, 0).Name} {
				if strings.Contains(line, old) {
					t.Fatalf("seed %d: %s", seed, line)
				}
			}
		}
	}
}
