package nginxconf

import (
	"fmt"
	"testing"
)

// routes is a configuration whose locations say who they are.
const routes = `
server { listen 8001;
  location = / { return 200 root; }
  location / { return 200 all; }
  location /a { return 200 a; }
  location /a/b { location /a/b/c { return 200 abc; } location = /a/b/d { return 200 abd; } return 200 ab; }
  location /a/b/c/d { return 200 outer; }
  location = /a/x { return 200 ax; }
  location ^~ /im { return 200 im; }
  location "/sp ace" { return 200 space; }
  location /dir/ { proxy_pass http://127.0.0.1:1/; }
  location /both/ { proxy_pass http://127.0.0.1:1; }
  location = /both { return 200 both; }
  location /nest/ { location /nest/in/ { proxy_pass http://127.0.0.1:1; } return 200 nest; }
}
server { listen 8002; location /only { return 200 only; } }
server { listen 8003; return 200 server; location / { return 200 never; } }
`

// routeTargets are request targets with what answers on the first server.
var routeTargets = []struct{ target, want string }{
	{"/", "200 root"}, {"/?x", "200 root"}, {"/z", "200 all"},
	{"/a", "200 a"}, {"/ab", "200 a"}, {"/a/b", "200 ab"}, {"/a/b/c", "200 abc"}, {"/a/b/cc", "200 abc"},
	{"/a/b/d", "200 abd"}, {"/a/b/d/", "200 ab"}, {"/a/b/c/d", "200 outer"}, {"/a/b/c/dd", "200 outer"},
	{"/a/x", "200 ax"}, {"/a/x/", "200 a"}, {"/a/y", "200 a"}, {"/im/x", "200 im"},
	{"/%61/x", "200 ax"}, {"/a%2fx", "200 ax"}, {"//a//x", "200 ax"}, {"/a/./x", "200 ax"}, {"/q/../a/x", "200 ax"},
	{"/a/b/..", "200 a"}, {"/a/.", "200 a"}, {"/..", "400"}, {"/a/../..", "400"}, {"/%zz", "400"}, {"/%0", "400"}, {"/%00", "400"},
	{"/sp%20ace/x", "200 space"},
	{"/dir", "301 /dir/"}, {"/dir?q=1", "301 /dir/?q=1"}, {"/dir/", "pass"}, {"/di", "200 all"},
	{"/both", "200 both"}, {"/both/x", "pass"},
	{"/nest", "200 all"}, {"/nest/", "200 nest"}, {"/nest/in", "301 /nest/in/"}, {"/nest/in/x", "pass"},
	{"/a/x#frag", "200 ax"}, {"/A", "200 all"}, {"/a/...", "200 a"}, {"/a/b./", "200 ab"},
}

// answer is who answers, as in routeTargets.
func answer(s Step) string {
	switch a := s.Answer; {
	case s.Pass != nil:
		return "pass"
	case a.Location != "":
		return fmt.Sprint(a.Status, " ", a.Location)
	case a.Page != 0:
		return fmt.Sprint(a.Status)
	default:
		return fmt.Sprint(a.Status, " ", a.Text)
	}
}

func mustInterpret(t *testing.T, text string) *Config {
	t.Helper()
	tree, ps := Parse("x.conf", []byte(text), nil)
	c, more := Interpret(tree)
	if ps = append(ps, more...); len(ps) > 0 {
		t.Fatal(ps)
	}
	return c
}

func TestRoute(t *testing.T) {
	c := mustInterpret(t, routes)
	for _, r := range routeTargets {
		s, l := c.Route("", r.target)
		if s != c.Servers[0] || answer(l) != r.want {
			t.Errorf("%s: %s, want %s", r.target, answer(l), r.want)
		}
	}
	for to, want := range map[string]string{"8002": "404", "*:8002": "404", "8003": "200 server"} {
		if s, step := c.Route(to, "/x"); s == nil || answer(step) != want {
			t.Errorf("to %s: %v, want %s", to, answer(step), want)
		}
	}
}

func TestRouteServer(t *testing.T) {
	c := mustInterpret(t, `
server { listen 8001; server_name a.com www.a.*; }
server { listen 8001 default_server; server_name *.b.com; }
server { listen 8002; server_name .c.b.com d.com; }
server { listen 8002; server_name d.com x.c.b.com; }
`)
	for to, want := range map[string]int{
		"": 1, "8001": 1, "*:8001": 1, "8002": 2, "a.com": 0, "A.com": 0, "www.a.org": 0, "x.b.com": 1,
		"c.b.com": 2, "y.c.b.com": 2, "x.c.b.com": 3, "d.com": 2, "b.com": -1, "8003": -1, "nobody": -1,
	} {
		s, _ := c.Route(to, "/")
		got := -1
		for i := range c.Servers {
			if c.Servers[i] == s {
				got = i
			}
		}
		if got != want {
			t.Errorf("%q: server %d, want %d", to, got, want)
		}
	}
	if s, step := (&Config{}).Route("", "/"); s != nil || step != (Step{}) {
		t.Errorf("no servers: %v %v", s, step)
	}
}

// uris says what reaches the backend for a client's target.
var uris = []struct{ location, pass, target, want string }{
	{"/x/", "", "/x/a%20b//c?q", "/x/a%20b//c?q"},
	{"/x/", "/", "/x/a", "/a"}, {"/x/", "/", "/x/a?b=c", "/a?b=c"}, {"/x/", "/", "/x/", "/"},
	{"/x", "/y", "/xa/b", "/ya/b"}, {"/x/", "/y", "/x/a", "/ya"}, {"/", "/y/", "/a/b", "/y/a/b"},
	{"= /x", "/y?z", "/x", "/y?z"}, {"= /x", "/y?z", "/x?q", "/y?z?q"}, {"/x/", "?k=v", "/x/a", "?k=va"},
	{"/x/", "/y/", "/x/a%20b", "/y/a%20b"}, {"/x/", "/y/", "/x/a%2fb", "/y/a/b"}, {"/x/", "/y/", "/x/%7e%25%3f", "/y/~%25%3F"},
	{"/x/", "/y/", "/x/../x//a/./b", "/y/a/b"}, {"/x/", "/y/", "/%78/a|b", "/y/a%7Cb"}, {"/x/", "/y/", "/x/a|b", "/y/a|b"},
	{"/x/", "/y/", "/x/a?", "/y/a"}, {"/x/", "", "/x/a?", "/x/a?"},
	{"/x/", "/y/", "/x/%c3%a9", "/y/%C3%A9"}, {"/x/", "/y/", "/x/%22%3c%3e%5c%5e%60%7b%7d", "/y/%22%3C%3E%5C%5E%60%7B%7D"},
}

func TestUpstreamURI(t *testing.T) {
	for _, u := range uris {
		c := mustInterpret(t, fmt.Sprintf("server { location %s { proxy_pass http://127.0.0.1:1%s; } }", u.location, u.pass))
		_, step := c.Route("", u.target)
		if step.Pass == nil || step.URI != u.want {
			t.Errorf("%+v: %+v", u, step)
		}
	}
}
