package harness_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

// complaints are requests that nginx logs something about besides how their attempts end.
const complaints = `name: complaints
proxy:
  nginx: |
    client_max_body_size 1m;
    upstream app { server app1:8080; }
    upstream old { server old1:8080; }
    server {
      location / { proxy_pass http://app; }
      location /small { client_max_body_size 10k; proxy_pass http://app; }
      location /read { limit_except GET { deny all; } proxy_pass http://app; }
      location /loop { rewrite ^ /loop last; proxy_pass http://app; }
      location /page { error_page 404 /page; proxy_intercept_errors on; recursive_error_pages on; proxy_pass http://app; }
      location /name { error_page 404 @none; proxy_intercept_errors on; proxy_pass http://app; }
      location /nine { proxy_pass http://old; }
      location /gone { return 200; }
      location /in { internal; limit_except HEAD { deny all; } proxy_pass http://old; }
    }
backends:
  app1:8080:
    - when: {path: /unsafe}
      do: {respond: {status: 200, headers: {X-Accel-Redirect: /in/../x}}}
    - when: {path: /nowhere}
      do: {respond: {status: 200, headers: {X-Accel-Redirect: "@none"}}}
    - when: {path: /denied}
      do: {respond: {status: 200, headers: {X-Accel-Redirect: /in/x}}}
    - when: {path: /round}
      do: {respond: {status: 200, headers: {X-Accel-Redirect: /round}}}
    - when: {path: /page}
      do: {status: 404}
    - when: {path: /name}
      do: {status: 404}
  old1:8080:
    - do: {malformed: http09}
traffic:
  large:     {request: POST /, body: 5MiB, times: 2}
  returned:  {request: POST /gone, body: 5MiB, times: 1}
  thrown:    {request: POST /gone, body: 5MiB, framing: chunked, times: 1}
  chunked:   {request: POST /small, body: 20KiB, framing: chunked, times: 1}
  chunks:    {request: POST /small, body: 100KiB, framing: chunked, times: 1}
  spooled:   {request: POST /, body: 100KiB, times: 1}
  pieces:    {request: POST /, body: 100KiB, framing: chunked, times: 1}
  fits:      {request: POST /, body: 9KiB, times: 1}
  forbidden: {request: PUT /read, times: 1}
  loop:      {request: GET /loop, times: 1}
  page:      {request: GET /page, times: 1}
  named:     {request: GET /name, times: 1}
  nine:      {request: GET /nine, times: 1}
  unsafe:    {request: GET /unsafe, times: 1}
  nowhere:   {request: GET /nowhere, times: 1}
  denied:    {request: GET /denied, times: 1}
  round:     {request: GET /round, times: 1}
expect:
  - log: {contains: "client intended to send too large body: 5242880 bytes", count: 3}
  - status: {of: thrown, is: 200}
  - status: {of: returned, is: 413}
  - status: {of: chunks, is: 413}
`

// complained is what the error log has to say of each traffic, in order.
var complained = map[string][]string{
	"large":     {"client intended to send too large body: 5242880 bytes", "client intended to send too large body: 5242880 bytes"},
	"returned":  {"client intended to send too large body: 5242880 bytes"},
	"chunked":   {"client intended to send too large chunked body: 0+20480 bytes"},
	"chunks":    {"client intended to send too large chunked body: 0+32768 bytes"},
	"spooled":   {"a client request body is buffered to a temporary file"},
	"pieces":    {"a client request body is buffered to a temporary file"},
	"forbidden": {"access forbidden by rule"},
	"loop":      {`rewrite or internal redirection cycle while processing "/loop"`},
	"page":      {`rewrite or internal redirection cycle while internally redirecting to "/page" while sending to client`},
	"named":     {`could not find named location "@none" while sending to client`},
	"unsafe":    {`unsafe URI "/in/../x" was detected while reading response header from upstream`},
	"nowhere":   {`could not find named location "@none" while reading response header from upstream`},
	"denied":    {"access forbidden by rule"},
	"round":     {`rewrite or internal redirection cycle while internally redirecting to "/round" while reading response header from upstream`},
	"nine":      {"upstream sent no valid HTTP/1.0 header while reading response header from upstream"},
}

func TestTheErrorLogHasWhatNginxSaysOfTheRequestItself(t *testing.T) {
	for _, e := range []harness.Engine{harness.Sim, harness.Reference} {
		complain(t, e)
	}
}

// complain holds what an engine logs against what nginx does.
func complain(t *testing.T, e harness.Engine) {
	t.Helper()
	s := parse(t, "complaints.yaml", complaints).Scenarios[0]
	r := run(t, harness.Runner{}, s, e)
	got := map[string][]string{}
	for _, l := range r.Events {
		if l.Kind == event.Logged {
			text := l.Detail
			if i := strings.Index(text, " temporary file"); i >= 0 {
				text = text[:i+len(" temporary file")] // nginx names it
			}
			got[l.Request.Traffic] = append(got[l.Request.Traffic], text)
		}
	}
	if d := cmp.Diff(complained, got); d != "" {
		t.Errorf("%s:\n%s", e, d)
	}
	for _, v := range r.Verdicts {
		if !v.OK {
			t.Errorf("%s: %s: got %s", e, v.Check, v.Got)
		}
	}
}

// badHeaders are answers whose header nginx refuses, or drops lines of, as its versions
// do, and what it says of them.
var badHeaders = []struct{ version, do, want string }{
	{"1.22", "{malformed: header_name}", `upstream sent invalid header: "X\x01..."`},
	{"1.20", "{malformed: header_name}", ``},
	{"1.22", "{malformed: header_line}", `upstream sent invalid header: "no\x20..."`},
	{"1.20", "{malformed: header_line}", ``},
	{"1.22", "{respond: {header_size: 9KiB}}", `upstream sent too big header`},
	{"1.22", "{malformed: duplicate_length}", ``},
	{"1.24", "{malformed: duplicate_length}", `upstream sent duplicate header line: "Content-Length: 5", previous value: "Content-Length: 5"`},
	{"1.24", "{malformed: length_and_chunked}", `upstream sent "Content-Length" and "Transfer-Encoding" headers at the same time`},
	{"1.24", "{malformed: bad_length}", `upstream sent invalid "Content-Length" header: "Content-Length: 5x"`},
	{"1.24", "{respond: {headers: {Server: [a, b]}}}", `upstream sent duplicate header line: "Server: b", previous value: "Server: a", ignored`},
	{"1.22", "{respond: {headers: {Server: [a, b]}}}", ``},
}

func TestWhatIsWrongWithAHeaderIsLogged(t *testing.T) {
	for _, c := range badHeaders {
		src := "name: x\nnginx_version: \"" + c.version + "\"\nproxy: {nginx: \"upstream u { server a:80; } server { location / { proxy_pass http://u; } }\"}\n" +
			"backends: {a:80: [{do: " + c.do + "}]}\ntraffic: {t: {request: GET /, times: 1}}\nexpect: [{status: {of: t, is: 200}}]\n"
		for _, e := range []harness.Engine{harness.Sim, harness.Reference} {
			got := ""
			for _, l := range run(t, harness.Runner{}, parse(t, "x.yaml", src).Scenarios[0], e).Events {
				if l.Kind == event.Logged {
					got += l.Detail
				}
			}
			want := c.want
			if want != "" {
				want += " while reading response header from upstream"
			}
			if got != want {
				t.Errorf("%s as %s on %s: want %q, got %q", c.do, c.version, e, want, got)
			}
		}
	}
}

func TestWhyAHandshakeFailedIsLogged(t *testing.T) {
	for do, want := range map[string]string{
		"{tls: close}": "peer closed connection in SSL handshake",
		"{tls: {handshake: reset, after: 100ms}}": "peer closed connection in SSL handshake (104: Connection reset by peer)",
		"{tls: refuse}": "SSL_do_handshake() failed",
		"{tls: plain}":  "SSL_do_handshake() failed",
		"{tls: hang}":   "upstream timed out (110: Connection timed out)",
		"freeze":        "upstream timed out (110: Connection timed out)",
		"refuse":        "connect() failed (111: Connection refused)",
	} {
		src := "name: x\nnginx_version: \"1.22\"\nproxy: {nginx: \"upstream u { server a:443; server b:443; } server { proxy_connect_timeout 1s; location / { proxy_pass https://u; } }\"}\n" +
			"backends: {a:443: [{do: " + do + "}]}\ntraffic: {t: {request: GET /, times: 1}}\nexpect: [{status: {of: t, is: 200}}]\n"
		doing := " while SSL handshaking to upstream"
		if do == "refuse" {
			doing = " while connecting to upstream"
		}
		const marked = "upstream server temporarily disabled"
		lines := []string{want + doing, marked + doing}
		if strings.HasPrefix(want, "upstream timed out") {
			lines[0], lines[1] = lines[1], lines[0]
		}
		for _, e := range []harness.Engine{harness.Sim, harness.Reference} {
			var got []string
			for _, l := range run(t, harness.Runner{}, parse(t, "x.yaml", src).Scenarios[0], e).Events {
				if l.Kind == event.Logged {
					got = append(got, l.Detail)
				}
			}
			if d := cmp.Diff(lines, got); d != "" {
				t.Errorf("%s on %s: %s", do, e, d)
			}
		}
	}
}
