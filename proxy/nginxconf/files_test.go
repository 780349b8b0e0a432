package nginxconf

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// A path of the machine that a configuration was written for is found beside it.
func TestBeside(t *testing.T) {
	files := fstest.MapFS{
		"nginx.conf":             {},
		"conf.d/a.conf":          {},
		"conf.d/b.conf":          {},
		"etc/ssl/cert.pem":       {},
		"privkey.pem":            {},
		"live/shop/chain.pem":    {},
		"sites-enabled/.hidden":  {},
		"letsencrypt/a/cert.pem": {},
	}
	for name, want := range map[string]string{
		"/etc/nginx/conf.d/*.conf":             "conf.d/a.conf conf.d/b.conf",
		"conf.d/*.conf":                        "conf.d/a.conf conf.d/b.conf",
		"/etc/ssl/cert.pem":                    "etc/ssl/cert.pem",
		"/etc/letsencrypt/live/privkey.pem":    "privkey.pem",
		"/etc/letsencrypt/live/shop/chain.pem": "live/shop/chain.pem",
		"/etc/letsencrypt/a/cert.pem":          "letsencrypt/a/cert.pem",
		"/etc/nginx/sites-enabled/*":           "",
		"/etc/nginx/*.conf":                    "", // it would be the configuration itself
		"../privkey.pem":                       "",
		"live/privkey.pem":                     "",
		"/etc/conf.d":                          "",
	} {
		if got := strings.Join(Beside(files, name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if Beside(nil, "/a") != nil {
		t.Error("found without files")
	}
}

// Certificates and keys stand in all or none, each for its own side.
func TestStandsIn(t *testing.T) {
	tree, problems := Parse("x.conf", []byte(`server {
		ssl_certificate a.pem; ssl_certificate_key a.key; ssl_dhparam dh.pem; ssl_client_certificate ca.pem;
		auth_basic_user_file users;
		location / { proxy_ssl_certificate b.pem; proxy_ssl_certificate_key b.key; proxy_pass https://b; }
	}
	server { ssl_certificate data:$pem; ssl_certificate_key $name.key; }`), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	have := map[string][]byte{"a.pem": {}, "a.key": {}, "b.pem": {}, "b.key": {}, "ca.pem": {}}
	got := func() []string {
		var out []string
		for _, u := range tree.StandsIn(have) {
			out = append(out, u.Path)
		}
		return out
	}
	if want := []string{"a.pem", "a.key", "dh.pem", "$name.key"}; !slices.Equal(got(), want) {
		t.Errorf("%q, want %q: one of the servers' keys isn't there", got(), want)
	}
	have["$name.key"] = nil
	delete(have, "b.pem")
	delete(have, "ca.pem")
	if want := []string{"dh.pem", "ca.pem", "b.pem", "b.key"}; !slices.Equal(got(), want) {
		t.Errorf("%q, want %q", got(), want)
	}
}

// What nginx reads is replaced where it stands, or left out.
func TestRenderFiles(t *testing.T) {
	tree, problems := Parse("x.conf", []byte(`server { listen 80; ssl_certificate "a.pem"; ssl_dhparam dh.pem; ssl_crl crl.pem; }`), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r, err := Render(tree, RenderOptions{
		Listens: map[string]string{"80": "127.0.0.1:1"},
		Files:   map[FileName]string{{"ssl_certificate", "a.pem"}: "/tmp/a b", {"ssl_dhparam", "dh.pem"}: "", {"ssl_certificate", "crl.pem"}: "/tmp/c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := `server { listen 127.0.0.1:1; ssl_certificate "/tmp/a b";  ssl_crl crl.pem; }`; !strings.Contains(string(r.Text), want) {
		t.Errorf("got %s, want %s", r.Text, want)
	}
}
