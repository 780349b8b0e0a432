package reference

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// book is a journal that keeps what it is told.
type book struct {
	format variable.Format

	mu     sync.Mutex
	access []string
	errors []string
}

func (b *book) Done(_ *nginxconf.Logs, f variable.Facts) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.access = append(b.access, times.ReplaceAllString(string(b.format.Append(nil, f)), "T"))
}

func (b *book) Note(_ *nginxconf.Logs, level nginxconf.Level, _ uint64, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.errors = append(b.errors, level.String()+" "+text)
}

func (b *book) lines() (access, errors string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.access, "\n"), strings.Join(b.errors, "\n")
}

var times = regexp.MustCompile(`\d+\.\d{3}`)

// journaled serves a configuration with a journal.
func journaled(t *testing.T, config string, backends map[string]string) (*setting, *book) {
	t.Helper()
	return journaledOf(t, upstream.Version{}, config, backends)
}

// journaledOf is journaled for a version of nginx.
func journaledOf(t *testing.T, version upstream.Version, config string, backends map[string]string) (*setting, *book) {
	t.Helper()
	tree, problems := nginxconf.Parse("test.conf", []byte(config), nil)
	cfg, more := nginxconf.InterpretAs(tree, version)
	if problems = append(problems, more...); len(problems) > 0 {
		t.Fatal(problems)
	}
	format, err := variable.CompileFormat([]string{
		`"$request" $status $body_bytes_sent $sent_http_content_type|$upstream_addr|$upstream_status|$upstream_connect_time|$upstream_header_time|` +
			`$upstream_response_time|$upstream_response_length|$upstream_bytes_received|$upstream_http_server|$request_length|$connection_requests|$request_time`})
	if err != nil {
		t.Fatal(err)
	}
	b, l := &book{format: format}, &log{}
	p, err := Start(Options{Config: cfg, Backends: backends, Sink: l, Journal: b})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return &setting{p, t, l}, b
}

// What nginx logs of requests that failed over, to the letter.
func TestJournal(t *testing.T) {
	dead := refused(t)
	fine := play(t, func(_ int, x *exchange) {
		x.head()
		x.send("HTTP/1.1 200 OK\r\nServer: b2\r\nContent-Type: text/x\r\nContent-Length: 4\r\n\r\nfour")
	})
	bad := play(t, func(_ int, x *exchange) { x.head(); x.send("HTTP/1.1 200 OK\r\nA b: c\r\n\r\n") })
	s, b := journaled(t, `
upstream two { server b1; server b2; }
upstream none { server b1 down; server b1 down; }
upstream bad { server b3; }
server {
  server_name www.example.com;
  location / { proxy_pass http://two; }
  location /none { proxy_pass http://none/x; }
  location /bad { proxy_pass http://bad; }
  location /text { return 200 hello; }
}`, map[string]string{"b1": dead, "b2": fine.Addr().String(), "b3": bad.Addr().String()})
	s.ask("GET /a?b HTTP/1.1\r\nHost: Example.com\r\nReferer: r\r\nConnection: close\r\n\r\n")
	s.get("/none")
	s.get("/bad")
	s.get("/text")
	access, errors := b.lines()
	const page = `502 151 text/html`
	if want := strings.Join([]string{
		`"GET /a?b HTTP/1.1" 200 4 text/x|b1, b2|502, 200|-, T|-, T|T, T|0, 4|0, 76|b2|71|1|T`,
		`"GET /none HTTP/1.1" ` + page + `|none|502|-|-|T|0|0|-|50|1|T`,
		`"GET /bad HTTP/1.1" ` + page + `|b3|502|T|-|T|0|27|-|49|1|T`,
		`"GET /text HTTP/1.1" 200 5 text/plain|-|-|-|-|-|-|-|-|50|1|T`,
	}, "\n"); access != want {
		t.Errorf("access log\n%s\nwant\n%s", access, want)
	}
	tail := `, client: 127.0.0.1, server: www.example.com, request: "GET `
	if want := strings.Join([]string{
		`error connect() failed (111: Connection refused) while connecting to upstream` + tail + `/a?b HTTP/1.1", upstream: "http://b1/a?b", host: "Example.com", referrer: "r"`,
		`warn upstream server temporarily disabled while connecting to upstream` + tail + `/a?b HTTP/1.1", upstream: "http://b1/a?b", host: "Example.com", referrer: "r"`,
		`error no live upstreams while connecting to upstream` + tail + `/none HTTP/1.1", upstream: "http://none/x", host: "a"`,
		`error upstream sent invalid header: "A\x20..." while reading response header from upstream` + tail + `/bad HTTP/1.1", upstream: "http://b3/bad", host: "a"`,
	}, "\n"); errors != want {
		t.Errorf("error log\n%s\nwant\n%s", errors, want)
	}
}

// A client that leaves in the middle of a request, or before one.
func TestJournalOfClients(t *testing.T) {
	s, b := journaled(t, `server { location / { return 204; } }`, nil)
	for _, raw := range []string{"", "GET /half HTTP/1.1\r\nHost: a\r\n", "GARBAGE\r\n\r\n"} {
		c := s.dial()
		_, _ = c.Write([]byte(raw))
		_ = c.CloseWrite()
		eventually(t, "closed", func() bool { n, err := c.Read(make([]byte, 512)); return n == 0 && err != nil })
	}
	var access, errors string
	eventually(t, "three lines", func() bool {
		access, errors = b.lines()
		return strings.Count(access+errors, "\n") >= 2
	})
	if want := `"GET /half HTTP/1.1" 400 0 -|-|-|-|-|-|-|-|-|29|1|T` + "\n" + `"GARBAGE" 400 151 text/html|-|-|-|-|-|-|-|-|0|1|T`; access != want {
		t.Errorf("access log\n%s\nwant\n%s", access, want)
	}
	if !strings.HasPrefix(errors, "info client closed connection while waiting for request, client: 127.0.0.1, server: 127.0.0.1:") ||
		!strings.Contains(errors, "\n"+`info client prematurely closed connection while reading client request headers, client: 127.0.0.1, server: , request: "GET /half HTTP/1.1", host: "a"`) {
		t.Errorf("error log\n%s", errors)
	}
}

// A header that a version drops because it was there is warned of, and no variable has it.
func TestJournalOfRepeatedHeaders(t *testing.T) {
	p := play(t, func(_ int, x *exchange) {
		x.head()
		x.send("HTTP/1.1 200 OK\r\nServer: b2\r\nContent-Length: 0\r\nserver: b3\r\n\r\n")
	})
	for version, want := range map[string]string{
		"1.22.1": "b2", "1.22.999": "b2", "1.23.0": "b2",
	} {
		v, err := upstream.ParseVersion(version)
		if err != nil {
			t.Fatal(err)
		}
		s, b := journaledOf(t, v, "server { location / { proxy_pass http://b; } }", map[string]string{"b": p.Addr().String()})
		s.get("/")
		access, errors := b.lines()
		if got := strings.Split(access, "|")[8]; got != want {
			t.Errorf("%s: $upstream_http_server is %s", version, got)
		}
		warned := strings.HasPrefix(errors, `warn upstream sent duplicate header line: "server: b3", previous value: "Server: b2", ignored while reading response header from upstream, client`)
		if warned != (version == "1.23.0") {
			t.Errorf("%s: error log %q", version, errors)
		}
	}
}

// Why a version refuses a request, in its words.
func TestJournalOfRefusals(t *testing.T) {
	const tail = ` while reading client request headers, client: 127.0.0.1, server: , request: "GET / HTTP/1.1", host: "a"`
	for _, c := range []struct{ version, headers, want string }{
		{"1.30", "Authorization: x\r\nauthorization: y\r\n", `info client sent duplicate header line: "authorization: y", previous value: "Authorization: x"` + tail},
		{"1.30", "Content-Length: 1\r\nContent-Length: 1\r\n", `info client sent duplicate header line: "Content-Length: 1", previous value: "Content-Length: 1"` + tail},
		{"1.30", "A: b\r\nC: d\r\nE: f\r\n", "info client sent too many header lines" + tail},
		{"1.30", "Host: b\r\n", `info client sent duplicate host header: "Host: b", previous value: "Host: a"` + tail},
		{"1.17.8", "Host: b/c\r\n", "info client sent invalid host header" + tail},
		{"1.17.8", "Host: b\r\nContent-Length: x\r\n", `info client sent invalid "Content-Length" header` + tail},
	} {
		v, err := upstream.ParseVersion(c.version)
		if err != nil {
			t.Fatal(err)
		}
		most := ""
		if c.version == "1.30" {
			most = "max_headers 3; "
		}
		s, b := journaledOf(t, v, most+"server { location / { return 204; } }", nil)
		if a := s.ask("GET / HTTP/1.1\r\nHost: a\r\n" + c.headers + "\r\n"); code(a) != "400" {
			t.Errorf("%s, %q: %q", c.version, c.headers, a)
		}
		if _, errors := b.lines(); errors != c.want {
			t.Errorf("%s, %q: error log\n%s\nwant\n%s", c.version, c.headers, errors, c.want)
		}
	}
}
