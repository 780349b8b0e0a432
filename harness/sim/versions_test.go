package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// incidentOf is incident for a version of nginx.
func incidentOf(t testing.TB, version, nginx string, rules map[string]fault.Rules, traffic ...scenario.Traffic) *scenario.Scenario {
	t.Helper()
	v, err := upstream.ParseVersion(version)
	if err != nil {
		t.Fatal(err)
	}
	s := incident(t, nginx, rules, traffic...)
	tree, _ := nginxconf.Parse("nginx.conf", []byte(nginx), nil)
	cfg, problems := nginxconf.InterpretAs(tree, v)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s.Nginx = cfg
	return s
}

// statuses are what the clients saw.
func statuses(events []event.Event) (out []int) {
	for _, e := range events {
		if e.Kind == event.ResponseEnded {
			out = append(out, e.Status)
		}
	}
	return out
}

// A host that a version refuses is answered by the default server, whose error page
// may lead to a backend (ngx_http_validate_host).
func TestRefusedHosts(t *testing.T) {
	const conf = `server { listen 80 default_server; error_page 400 =206 /b; location /b { proxy_pass http://b:1; } location / { return 201; } }
		server { listen 80; server_name shop; location / { proxy_pass http://a:1; } }`
	for _, c := range []struct {
		version, host string
		want          int
	}{
		{"1.29.3", "shop:70000", 200}, {"1.29.4", "shop:70000", 206},
		{"1.29.3", "me@shop", 201}, {"1.29.4", "me@shop", 206},
		{"1.29.4", "shop:7000", 200}, {"1.29.4", "shop.:", 200},
		{"1.22.1", "shop/", 206}, {"1.22.1", "other", 201},
	} {
		asks := get("t", "/", 1, time.Second)
		asks.Headers = []fault.Header{{Name: "Host", Value: c.host}}
		got := statuses(run(t, incidentOf(t, c.version, conf, nil, asks)))
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s, %s: %v, want %d", c.version, c.host, got, c.want)
		}
	}
}

// So is a request with a header twice that has to be alone
// (ngx_http_process_unique_header_line).
func TestRepeatedHeaders(t *testing.T) {
	for _, c := range []struct {
		version, header string
		want            int
	}{
		{"1.9.10", "Authorization", 400}, {"1.30", "if-none-match", 400}, {"1.30", "Accept", 200},
		{"1.17.8", "Host", 200}, {"1.17.9", "Host", 400},
		{"1.29.6", "Proxy-Authorization", 200}, {"1.29.7", "Proxy-Authorization", 400},
	} {
		asks := get("t", "/", 1, time.Second)
		asks.Headers = []fault.Header{{Name: c.header, Value: "x"}, {Name: c.header, Value: "y"}}
		got := statuses(run(t, incidentOf(t, c.version, "server { listen 80; location / { proxy_pass http://a:1; } }", nil, asks)))
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s, %s: %v, want %d", c.version, c.header, got, c.want)
		}
	}
}

// A handshake that takes too long is tried again as a time-out since 1.11.6, and as an
// error before (ngx_http_upstream_ssl_handshake).
func TestLateHandshakes(t *testing.T) {
	const conf = "upstream u { server a:1; server b:1; } server { listen 80; location / { proxy_pass https://u; proxy_connect_timeout 2s; proxy_next_upstream NEXT; } }"
	hung := map[string]fault.Rules{"a:1": {{Do: fault.Fault{TLS: &fault.TLS{Handshake: fault.HungHandshake}}}}}
	for _, c := range []struct {
		version, next string
		want          int
	}{
		{"1.11.5", "error", 200}, {"1.11.5", "timeout", 502}, {"1.11.6", "error", 504}, {"1.11.6", "timeout", 200},
	} {
		got := statuses(run(t, incidentOf(t, c.version, strings.Replace(conf, "NEXT", c.next, 1), hung, get("t", "/", 1, time.Second))))
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s, %s: %v, want %d", c.version, c.next, got, c.want)
		}
	}
}

// A connection on which more came than the last chunk is kept before 1.19.1, and one with
// more than Content-Length by none (ngx_http_proxy_chunked_filter).
func TestKeptBehindMore(t *testing.T) {
	for _, c := range []struct {
		version, framing, body string
		kept                   bool
	}{
		{"1.19.0", "Transfer-Encoding: chunked", "2\r\nhi\r\n0\r\n\r\nmore", true},
		{"1.19.1", "Transfer-Encoding: chunked", "2\r\nhi\r\n0\r\n\r\nmore", false},
		{"1.19.1", "Transfer-Encoding: chunked", "2\r\nhi\r\n0\r\n\r\n", true},
		{"1.21.3", "X-Accel-Buffering: no\r\nContent-Length: 0", "more", true}, {"1.21.4", "X-Accel-Buffering: no\r\nContent-Length: 0", "more", false},
		{"1.21.3", "Content-Length: 0", "more", false},
		{"1.19.0", "Content-Length: 2", "himore", false}, {"1.19.1", "Content-Length: 2", "himore", false},
	} {
		script := fault.Script{
			Response: fault.Response{Status: 200, Head: []byte("HTTP/1.1 200 OK\r\n" + c.framing + "\r\n\r\n"), Announced: int64(len(c.body)), Body: fault.Body{Size: int64(len(c.body)), Text: []byte(c.body)}},
			Steps:    []fault.Step{{Op: fault.ReadAll}, {Op: fault.Write, Len: -1}},
		}
		const conf = `upstream u { server a:1; keepalive 4; } server { listen 80; location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; } }`
		events := run(t, incidentOf(t, c.version, conf, map[string]fault.Rules{"a:1": {{Do: fault.Fault{Script: script}}}}, get("t", "/", 2, time.Second)))
		cached := false
		for _, e := range events {
			cached = cached || e.Kind == event.AttemptStarted && e.Cached
		}
		if cached != c.kept {
			t.Errorf("%s, %q: kept is %v", c.version, c.body, cached)
		}
	}
}
