package sim_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// A backend says itself whether its answer is buffered: a chunk that breaks isn't
// looked at while it waits in a page that isn't full, so that only the read time-out
// ends it.
func TestAccelBuffering(t *testing.T) {
	for _, c := range []struct{ name, line, directives, want string }{
		{"nothing", "", "", "1m1s"},
		{"no", "X-Accel-Buffering: no\r\n", "", "1s"},
		{"NO", "x-accel-buffering: NO\r\n", "", "1s"},
		{"off is no word", "X-Accel-Buffering: off\r\n", "", "1m1s"},
		{"yes", "X-Accel-Buffering: yes\r\n", "proxy_buffering off;", "1m1s"},
		{"unbuffered", "", "proxy_buffering off;", "1s"},
		{"ignored", "X-Accel-Buffering: no\r\n", "proxy_ignore_headers X-Accel-Buffering;", "1m1s"},
		{"another ignored", "X-Accel-Buffering: no\r\n", "proxy_ignore_headers Vary;", "1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			do := mustFault(t, &fault.MalformedSpec{What: "broken_chunk"})
			r := &do.Script.Response
			r.Head = bytes.Replace(r.Head, []byte("\r\n"), []byte("\r\n"+c.line), 1)
			first := int64(len(r.Head) + len("5\r\nhello\r\n"))
			do.Script.Steps = []fault.Step{{Op: fault.ReadAll}, {Op: fault.Write, Len: first}, {Op: fault.Wait, For: time.Second}, {Op: fault.Write, Len: -1}, {Op: fault.Stall}}
			s := incident(t, "upstream u { server a; } server { location / { proxy_pass http://u; "+c.directives+" } }",
				map[string]fault.Rules{"a": {{Do: do}}},
				scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{0}}})
			got := story(run(t, s), event.ResponseEnded)
			if want := c.want + " response truncated 200"; len(got) != 1 || got[0] != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// A backend sends a request elsewhere; what becomes of it there is what the client gets.
func TestAccelRedirect(t *testing.T) {
	const conf = `upstream app { server a max_fails=1; server b; } upstream store { server s; server s2; }
		server { location / { proxy_pass http://app; DIRECTIVES } location /in { internal; proxy_pass http://store; DIRECTIVES } location @in { proxy_pass http://store; DIRECTIVES } }`
	for _, c := range []struct {
		name, method, to, directives string
		status                       int
		want                         []string
	}{
		{"a path", "GET", "/in/x", "", 200, []string{"0s ended a passed 200", "0s ended s reset 502", "0s ended s2 passed 200", "0s response passed 200"}},
		{"of an error", "GET", "/in/x", "", 404, []string{"0s ended a passed 404", "0s ended s reset 502", "0s ended s2 passed 200", "0s response passed 200"}},
		{"a POST, which is a GET there", "POST", "/in/x", "", 200, []string{"0s ended a passed 200", "0s ended s reset 502", "0s ended s2 passed 200", "0s response passed 200"}},
		{"a POST to a name, which stays one", "POST", "@in", "", 200, []string{"0s ended a passed 200", "0s ended s reset 502", "0s response passed 502"}},
		{"no such name", "GET", "@none", "", 200, []string{"0s ended a passed 200", "0s response passed 500"}},
		{"not safe", "GET", "/../x", "", 200, []string{"0s ended a passed 200", "0s response passed 404"}},
		{"ignored", "GET", "/in/x", "proxy_ignore_headers X-Accel-Redirect;", 200, []string{"0s ended a passed 200", "0s response passed 200"}},
		{"after another peer", "GET", "/in/x", "proxy_next_upstream http_503;", 503, []string{"0s ended a listed 503", "0s ended b passed 200", "0s response passed 200"}},
		{"after an error page", "GET", "/in/x", "proxy_intercept_errors on; error_page 503 =299 @in;", 503, []string{"0s ended a passed 503", "0s ended s reset 502", "0s ended s2 passed 200", "0s response passed 299"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sends := mustFault(t, &fault.RespondSpec{Status: c.status, Headers: []fault.Header{{Name: "X-Accel-Redirect", Value: c.to}}})
			s := incident(t, strings.NewReplacer("DIRECTIVES", c.directives).Replace(conf),
				map[string]fault.Rules{"a": {{Do: sends}}, "s": {{Do: mustFault(t, &fault.ResetSpec{})}}},
				scenario.Traffic{Name: "x", Method: c.method, Path: "/", Load: scenario.Load{At: []time.Duration{0}}})
			got := story(run(t, s), event.AttemptEnded, event.ResponseEnded)
			for i := range got { // how long it takes doesn't matter
				_, what, _ := strings.Cut(got[i], " ")
				got[i] = "0s " + what
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The connection of a response that was redirected away from is kept when it has no body.
func TestAccelRedirectKeeps(t *testing.T) {
	const conf = `upstream app { server a; keepalive 1; } upstream store { server s; }
		server { location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; } location @in { proxy_pass http://store; } }`
	for status, want := range map[int]bool{204: true, 200: false} {
		sends := mustFault(t, &fault.RespondSpec{Status: status, Headers: []fault.Header{{Name: "X-Accel-Redirect", Value: "@in"}}})
		s := incident(t, conf, map[string]fault.Rules{"a": {{Do: sends}}},
			scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{0, time.Second}}})
		cached := false
		for _, e := range run(t, s) {
			cached = cached || e.Peer == "a" && e.Cached
		}
		if cached != want {
			t.Errorf("status %d: kept is %v, want %v", status, cached, want)
		}
	}
}
