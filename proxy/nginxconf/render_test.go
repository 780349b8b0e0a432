package nginxconf

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// standIns gives every address of a configuration a loopback address.
func standIns(tree *Tree, cfg *Config) RenderOptions {
	o := RenderOptions{
		Backends: map[string]string{}, Listens: map[string]string{}, Dir: "/p",
		Main:      Section{Text: "daemon off;"},
		Events:    Section{Defaults: []string{"worker_connections 9;"}},
		HTTP:      Section{Text: "log_format ours $uri;", Defaults: []string{"proxy_temp_path /p/proxy;"}},
		AccessLog: "access_log /p/ours.log ours;",
		ErrorLog:  "error_log /p/error.log warn;",
	}
	for i, n := range cfg.Backends {
		o.Backends[n] = fmt.Sprintf("127.0.0.1:%d", 9000+i)
	}
	for i, n := range tree.Listens() {
		o.Listens[n] = fmt.Sprintf("127.0.0.1:%d", 8000+i)
	}
	return o
}

func TestRender(t *testing.T) {
	golden(t, "render", func(t *testing.T, _, in string) string {
		tree, ps := Parse("x.conf", []byte(in), nil)
		cfg, more := Interpret(tree)
		if ps = append(ps, more...); len(ps) > 0 {
			return lines(ps)
		}
		r, err := Render(tree, standIns(tree, cfg))
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for n, line := range strings.Split(strings.TrimSuffix(string(r.Text), "\n"), "\n") {
			from := "-"
			if p, ok := r.Pos(n + 1); ok {
				from = fmt.Sprintf("%d:%d", p.Line, p.Col)
			}
			fmt.Fprintf(&b, "%-5s| %s\n", from, line)
		}
		for _, c := range r.Changes {
			fmt.Fprintf(&b, "%d:%d %q -> %q\n", c.Pos.Line, c.Pos.Col, c.Was, c.Now)
		}
		return b.String()
	})
}

// What stands for a unix socket may be another one: the colon in front of a URI, and
// words that have to be quoted, stay as they are.
func TestRenderSockets(t *testing.T) {
	const text = `upstream u { server unix:/run/u.sock; server "unix:/run/a b.sock" backup; }
server {
 location /a { proxy_pass http://unix:/run/x.sock:/y; }
 location /b { proxy_pass http://unix:/run/x.sock; }
 location /c { proxy_pass "http://unix:/run/x\".sock:/y"; }
}
stream { server { listen 1; proxy_pass unix:/run/u.sock; } }
`
	tree, ps := Parse("x.conf", []byte(text), nil)
	if len(ps) > 0 {
		t.Fatal(lines(ps))
	}
	r, err := Render(tree, RenderOptions{Listens: map[string]string{"80": "80", "1": "1"}, Backends: map[string]string{
		"unix:/run/u.sock": "unix:/t/1/b.sock", "unix:/run/a b.sock": "127.0.0.1:9", "unix:/run/x.sock": "unix:/t/2/b.sock", "unix:/run/x\".sock": "unix:/t/3/b.sock",
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`server unix:/t/1/b.sock; server "127.0.0.1:9" backup;`, "http://unix:/t/2/b.sock:/y;", "http://unix:/t/2/b.sock;", "http://unix:/t/3/b.sock:/y;", "proxy_pass unix:/t/1/b.sock;",
	} {
		if !strings.Contains(string(r.Text), want) {
			t.Errorf("no %s in\n%s", want, r.Text)
		}
	}
}

// With the addresses that are there already, and nothing to add, the text of a
// whole configuration is the same.
func TestRenderChangesNothingElse(t *testing.T) {
	const text = "worker_processes 2;\nevents { }\nhttp {\n upstream a { server \"app1\" ; }\r\n\tserver{listen  80 ; # x\n location / {proxy_pass http://a/ ;} }\n}\n"
	tree, _ := Parse("x.conf", []byte(text), nil)
	r, err := Render(tree, RenderOptions{Backends: map[string]string{"app1": "app1"}, Listens: map[string]string{"80": "80"}})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(strings.Replace(text, "events {", "events {\n", 1), "http {", "http {\n", 1)
	if d := cmp.Diff(want, string(r.Text)); d != "" {
		t.Error(d)
	}
}

// An included file is written inline, and its lines are still its own.
func TestRenderIncludes(t *testing.T) {
	files := fstest.MapFS{
		"up.conf":  {Data: []byte("upstream a {\n  server app1;\n} # end")},
		"loc.conf": {Data: []byte("\nlocation / {\n proxy_pass http://a;\n}")},
	}
	tree, ps := ParseSource(Source{Name: "s.yaml", Line: 20, Col: 7, Text: []byte("include *p.conf;\nserver { include loc.conf; gzip on; }\n"), Files: files})
	cfg, more := Interpret(tree)
	if len(ps)+len(more) > 0 {
		t.Fatal(ps, more)
	}
	r, err := Render(tree, standIns(tree, cfg))
	if err != nil {
		t.Fatal(err)
	}
	for want, at := range map[string]string{"server 127.0.0.1:9000;": "up.conf:2:3", "proxy_pass http://a;": "loc.conf:3:2", "gzip on; }": "s.yaml:21:34"} {
		for n, line := range strings.Split(string(r.Text), "\n") {
			if strings.TrimSpace(line) != want {
				continue
			}
			p, _ := r.Problem(fmt.Sprintf("nginx: [emerg] oh no in here in /tmp/nginx.conf:%d\n", n+1))
			if got := p.String(); got != at+": oh no in here" {
				t.Errorf("%s: %s, want %s", want, got, at)
			}
			at = ""
		}
		if at != "" {
			t.Errorf("no line %q in\n%s", want, r.Text)
		}
	}
}

func TestRenderedProblem(t *testing.T) {
	tree, _ := Parse("x.conf", []byte("events { }\nhttp {\n  gzip on;\n}\n"), nil)
	r, err := Render(tree, RenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		"nginx: [emerg] bad in /a/b.conf:5":                         "x.conf:3:3: bad",
		"2026/01/02 03:04:05 [alert] 12#12: worse: bad in b.conf:5": "x.conf:3:3: worse: bad",
		"nginx: [emerg] bad in /a/b.conf:99":                        "",
		"nginx: [emerg] bad in /a/b.conf:0":                         "",
		"nginx: [emerg] bind() to 127.0.0.1:80 failed":              "",
		"": "",
	} {
		p, ok := r.Problem(message)
		if got := p.String(); ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q %v, want %q", message, got, ok, want)
		}
	}
}

// A default of ours takes the place of a directive that is left out.
func TestRenderDefaults(t *testing.T) {
	tree, _ := Parse("x.conf", []byte("user www-data; worker_shutdown_timeout 5s;"), nil)
	r, err := Render(tree, RenderOptions{Main: Section{Defaults: []string{"user root;", "worker_shutdown_timeout 1s;", "env A;"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "user root;\nenv A;\nevents {\n}\n\nworker_shutdown_timeout 5s;\nhttp {\n \n}\n"
	if d := cmp.Diff(want, string(r.Text)); d != "" {
		t.Error(d)
	}
}

// Nothing is sent to an address that nobody chose.
func TestRenderWantsEveryAddress(t *testing.T) {
	for text, want := range map[string]string{
		"upstream a { server app1; }":                           `x.conf:1:21: backend "app1": no address given`,
		"server { listen 81; }":                                 `listen "81": no address given`,
		"server { }":                                            `listen "80": no address given`,
		"stream { upstream a { server b:1; } }":                 `x.conf:1:30: backend "b:1": no address given`,
		"stream { server { listen 82; proxy_pass 10.0.0.1:9; }": `listen "82": no address given`,
	} {
		tree, _ := Parse("x.conf", []byte(text), nil)
		_, err := Render(tree, RenderOptions{})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
