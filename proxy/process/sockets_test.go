package process

import (
	"net"
	"strings"
	"testing"
	"time"
)

// Every address of a name is a peer of its own, called by its address; a unix
// socket is one too.
func TestBackendsByName(t *testing.T) {
	c := configurationOf(t, `upstream u { server localhost:81 weight=3; server unix:/tmp/x; hash $uri consistent; } server { listen 127.0.0.1:1; location / { proxy_pass http://u; } }`)
	u := c.Upstreams[0]
	if len(u.Servers) < 2 {
		t.Fatalf("%+v", u.Servers)
	}
	for _, p := range u.Servers[:len(u.Servers)-1] {
		if p.Weight != 3 || p.Address != "localhost:81" || p.Name != "127.0.0.1:81" && p.Name != "[::1]:81" || c.backends[p.Name] != p.Name {
			t.Errorf("%+v", p)
		}
	}
	if last := u.Servers[len(u.Servers)-1]; last.Name != "unix:/tmp/x" || c.backends[last.Name] != "unix:/tmp/x" {
		t.Errorf("%+v", last)
	}
}

func configurationOf(t *testing.T, http string) *configuration {
	t.Helper()
	dir := lay(t, "events {}\nhttp { access_log off; "+http+" }\n")
	o := Options{Prefix: dir}
	at, err := o.place()
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := read(&o, at)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An address that is taken is tried for a while, then given up.
func TestAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := lay(t, "events {}\nhttp { access_log off; server { listen "+l.Addr().String()+"; return 200; } }\n")
	var out, errs strings.Builder
	began := time.Now()
	if code := Run(Options{Prefix: dir}, &out, &errs, nil); code != 1 {
		t.Errorf("status %d", code)
	}
	text := "bind() to " + l.Addr().String() + " failed (98: Address already in use)"
	if n := strings.Count(errs.String(), text); n != tries || !strings.HasSuffix(errs.String(), "nolive: [emerg] still could not bind()\n") {
		t.Errorf("said %d times\n%s", n, errs.String())
	}
	if took := time.Since(began); took < (tries-1)*pause {
		t.Errorf("gave up after %v", took)
	}
	errs.Reset()
	if code := Run(Options{Prefix: dir, Test: true}, &out, &errs, nil); code != 0 {
		t.Errorf("-t beside a running one: %d %s", code, errs.String())
	}
}
