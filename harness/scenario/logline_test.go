package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// What no line can have is said: no run could tell `count: 0` from a mistake.
func TestALogThatCantMatchIsWarnedOf(t *testing.T) {
	const message = "a line is its message alone, without time, level, client, server, request, upstream and host, so none has "
	const never = "sim and reference log no line that has "
	for contains, want := range map[string]string{
		`no live upstreams`: "",
		`client intended to send too large body: 5242880 bytes`: "",
		`too large body: 52`: "",
		`connect() to unix:/run/app1.sock failed (11: Resource temporarily unavailable)`: "",
		`while connecting to upstream`:                                              "",
		`could not find named location "@none"`:                                     "",
		`cycle while internally redirecting to "/50x.html" while sending to client`: "",
		`a client request body is buffered to a temporary file`:                     "",
		`upstream sent no valid HTTP/1.0 header`:                                    "",
		`upstream: "http://a:80/`:                                                   message,
		`connecting to upstream, client: 127.0.0.1`:                                 message,
		`[error]`:              message,
		`host: "shop.example"`: message,
		`No live upstreams`:    never,
		`no live upstrams`:     never,
		`an upstream response is buffered to a temporary file`:                       never,
		`client prematurely closed connection, so upstream connection is closed too`: never,
		`/50x.html`:               never,
		strings.Repeat("~", 4000): never,
	} {
		src := fmt.Sprintf("name: x\nproxy: {nginx: \"upstream u { server a; server b; } server { location / { proxy_pass http://u; } }\"}\n"+
			"traffic: {t: {request: GET /, times: 3}}\nexpect:\n  - log: {contains: %q, count: 0}\n", contains)
		for _, engines := range []string{"", "engines: [nginx]\n"} {
			want := want
			if engines != "" && want == never {
				want = "" // a real one logs much else
			}
			got := ""
			for _, p := range parse(t, src+engines).Warnings {
				got += p.String()
			}
			if want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%.60s %s: got %q, want %q", contains, engines, got, want)
			}
		}
	}
	src := "name: x\nproxy: {nginx: \"server { location / { proxy_pass http://u; } }\"}\ntraffic: {t: {request: GET /, times: 3}}\n" +
		"expect:\n  - log: {contains: No Live, count: 0}\n"
	diff(t, "warning", parse(t, src).Warnings[0].String(),
		`x.yaml:5:21: log: contains: sim and reference log no line that has "No Live" (upper and lower case count: no live upstreams while connecting to upstream)`)
}
