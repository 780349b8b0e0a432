package nginxconf

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/variable"
)

// shared is what all the random servers have.
const shared = `
upstream echo { server e1:80; }
upstream dead { server d1:80; }
upstream bad { server b1:80; }
map $arg_v $m { default echo; 1 e2:81; 2 e3:82; dead dead; ~^e echo; }
`

// wayRequest is a request to a random server.
type wayRequest struct{ method, target, x, body string }

// recordHead begins testdata/ways.txt.
const recordHead = `Random servers, and what nginx 1.22.1 answered to random requests: method, target, X-T header,
body, answer, with tabs between. Written by the test with the tag e2e and its flag -ways.record.

`

// The model answers what nginx did.
func TestWays(t *testing.T) {
	text, err := os.ReadFile("testdata/ways.txt")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, part := range strings.Split(string(text), "=== \n")[1:] {
		server, answers, _ := strings.Cut(part, "----\n")
		c := mustInterpret(t, shared+server)
		for line := range strings.Lines(answers) {
			f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
			r := wayRequest{f[0], f[1], f[2], f[3]}
			if got, _ := modelAnswer(c, c.Servers[0], r); got != f[4] {
				t.Errorf("%+v\nnginx: %s\nmodel: %s\n%s", r, f[4], got, server)
			}
			asked++
		}
	}
	if asked < 1000 {
		t.Errorf("only %d requests are recorded", asked)
	}
}

// modelAnswer is what the model says of a request, with the backends of
// serveWays; passes is how often it was passed on.
func modelAnswer(c *Config, s *Server, r wayRequest) (answer string, passes int) {
	rq := &variable.Request{Method: r.method, Target: r.target, Host: "h"}
	rq.Header = func(yield func(name, value []byte) bool) {
		if r.x != "" {
			yield([]byte("X-T"), []byte(r.x))
		}
	}
	length := int64(len(r.body))
	if r.body == "" {
		length = -1
	}
	var w Way
	step := w.Begin(c, s, rq, length)
	for {
		p := step.Pass
		if p == nil {
			a := step.Answer
			body := a.Text
			if a.Page != 0 {
				body = "page"
			}
			return describe(&w, a.Status, body, w.Absolute(a.Location, "127.0.0.1", "80"), r), passes
		}
		passes++
		switch p.Upstream.Name {
		case "dead":
			step = w.Fail(502)
			continue
		case "bad":
			if next, ok := w.Intercept(p, 404); ok {
				step = next
				continue
			}
			return describe(&w, w.Status(404), "bad", w.Absolute(w.Redirect(), "127.0.0.1", "80"), r), passes
		}
		name := map[string]string{"echo": "e1", "e2:81": "e2", "e3:82": "e3"}[p.Upstream.Name]
		body := p.RequestMethod(&w) + " " + step.URI + " of " + name
		return describe(&w, w.Status(299), body, w.Absolute(w.Redirect(), "127.0.0.1", "80"), r), passes
	}
}

// describe is an answer in one line.
func describe(w *Way, status int, body, location string, r wayRequest) string {
	var added []string
	w.Added(status, func(name, value string) { added = append(added, name+"="+value) })
	slices.Sort(added)
	if r.method == "HEAD" || status == 204 || status == 304 {
		body = ""
	}
	if body == "page" && !hasPage(status) {
		body = ""
	}
	return fmt.Sprintf("%d %q to %q %v", status, body, strings.TrimSpace(location), added)
}

func hasPage(status int) bool { return status != 418 && status != 200 && status != 201 }
