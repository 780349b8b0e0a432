package nginx

import "testing"

func TestParseVersion(t *testing.T) {
	for out, want := range map[string]struct {
		version string
		number  [3]int
	}{
		"nginx version: nginx/1.22.1\nbuilt with OpenSSL 3.0\n":               {"1.22.1", [3]int{1, 22, 1}},
		"nginx version: nginx/1.18.0 (Ubuntu)\n":                              {"1.18.0", [3]int{1, 18, 0}},
		"nginx version: openresty/1.25.3.1\n":                                 {"openresty/1.25.3.1", [3]int{1, 25, 3}},
		"nginx version: nginx/1.31.5\nconfigure arguments: --with-http_x\n":   {"1.31.5", [3]int{1, 31, 5}},
		"ld.so: object cannot be preloaded\nnginx version: nginx/1.9.1\nmore": {"1.9.1", [3]int{1, 9, 1}},
	} {
		b, ok := parseVersion(out)
		if !ok || b.version != want.version || b.number != want.number {
			t.Errorf("%q: %+v", out, b)
		}
	}
	if b, ok := parseVersion("Apache/2.4"); ok {
		t.Errorf("%+v", b)
	}
	b, _ := parseVersion("nginx version: nginx/1.22.1\nconfigure arguments: --with-debug --without-http_uwsgi_module --without-http_scgi_module")
	if !b.without["http_uwsgi"] || !b.without["http_scgi"] || b.without["http_proxy"] || len(b.without) != 2 {
		t.Errorf("without %v", b.without)
	}
}

func TestAtLeast(t *testing.T) {
	b := binary{number: [3]int{1, 22, 1}}
	for _, c := range []struct {
		v    [3]int
		want bool
	}{{[3]int{1, 22, 1}, true}, {[3]int{1, 22, 2}, false}, {[3]int{1, 9, 30}, true}, {[3]int{1, 29, 0}, false}, {[3]int{2, 0, 0}, false}, {[3]int{0, 99, 99}, true}} {
		if got := b.atLeast(c.v[0], c.v[1], c.v[2]); got != c.want {
			t.Errorf("%v: %v", c.v, got)
		}
	}
}
