package nginxconf

import (
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/variable"
)

// No file is there, so a try_files comes to its last argument; an error page with a
// location of its own is.
func TestNoFiles(t *testing.T) {
	const servers = `upstream app { server a; }
		server {
			listen 80; root /srv;
			error_page 502 /50x.html; error_page 403 =503 /away.html; error_page 410 /gone/;
			location / { try_files $uri $uri/ @app; }
			location @app { proxy_pass http://app; }
			location /code { try_files $uri =409; }
			location /path { try_files $uri /other?x=$args; }
			location /other { proxy_pass http://app; }
			location = /50x.html { internal; }
			location = /away.html { root /srv/pages; }
			location /refused { return 403; }
			location /exists { if (!-f $request_filename) { return 201; } return 202; }
			location /absent { }
			location /dir { if (-d $document_root/x) { return 201; } return 202; }
		}
		server { listen 81; root /srv; try_files $uri =444; location /a { return 200; } }`
	tree, problems := Parse("x.conf", []byte(servers), nil)
	c, more := Interpret(tree)
	if len(problems)+len(more) > 0 {
		t.Fatal(problems, more)
	}
	for _, tt := range []struct {
		to, target string
		uri        string // that a backend gets, "" for nginx's own answer
		status     int
		text       string
	}{
		{"80", "/a?b", "/a?b", 0, ""},
		{"80", "/code/1", "", 409, ""},
		{"80", "/path?b=1", "/other?x=b=1", 0, ""},
		{"80", "/refused", "", 503, StandInPage},
		{"80", "/exists", "", 201, ""},
		{"80", "/dir", "", 202, ""},
		{"80", "/50x.html", "", 404, ""},
		{"80", "/away.html", "", 200, StandInPage},
		{"80", "POST /away.html", "", 405, ""},
		{"80", "POST /absent", "", 404, ""},
		{"81", "/b", "", 444, ""},
		{"81", "/a", "", 200, ""},
	} {
		method, target, ok := strings.Cut(tt.target, " ")
		if !ok {
			method, target = "GET", method
		}
		rq := variable.Request{Method: method, Target: target}
		var w Way
		step := w.Begin(c, c.Destination(tt.to, "").Server, &rq, -1)
		if (step.Pass != nil) != (tt.uri != "") || step.Pass != nil && step.URI != tt.uri {
			t.Errorf("%s: passed on as %q, want %q", tt.target, step.URI, tt.uri)
		}
		if step.Pass == nil && (step.Answer.Status != tt.status || step.Answer.Text != tt.text) {
			t.Errorf("%s: %d %q, want %d %q", tt.target, step.Answer.Status, step.Answer.Text, tt.status, tt.text)
		}
		if step.Pass != nil && tt.target == "/a?b" {
			if failed := w.Fail(502); failed.Answer.Status != 502 || failed.Answer.Text != StandInPage {
				t.Errorf("a 502 is answered %d %q, want the page", failed.Answer.Status, failed.Answer.Text)
			}
		}
	}
	if got, want := strings.Join(tree.Pages(), " "), "/50x.html /away.html"; got != want {
		t.Errorf("pages %q, want %q", got, want)
	}
	r, err := Render(tree, RenderOptions{
		Backends: map[string]string{"a": "127.0.0.1:9"}, Listens: map[string]string{"80": "127.0.0.1:1", "81": "127.0.0.1:2"},
		Nowhere: "/none", PagesDir: "/pages",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"listen 127.0.0.1:1; root /none;", "location = /50x.html { root /pages; internal; }", "location = /away.html { root /pages; }",
		"listen 127.0.0.1:2; root /none; try_files $uri =444;",
	} {
		if !strings.Contains(string(r.Text), want) {
			t.Errorf("no %q in\n%s", want, r.Text)
		}
	}
}
