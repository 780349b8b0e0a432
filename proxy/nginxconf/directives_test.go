package nginxconf

import (
	"slices"
	"strings"
	"testing"
)

// The table can be read, and no directive has two meanings in one context.
func TestDirectives(t *testing.T) {
	for name, specs := range directives().byName {
		var had context
		for _, s := range specs {
			if had&s.in != 0 {
				t.Errorf("%s is there twice in %s", name, had&s.in)
			}
			had |= s.in
			if !slices.Contains([]string{"", "flag", "num", "msec", "sec", "size", "off", "bufs", "str", "once"}, s.value) {
				t.Errorf("%s: unknown value %q", name, s.value)
			}
			if strings.Trim(s.args, "0123456789+") != "" && s.args != "any" {
				t.Errorf("%s: arguments %q", name, s.args)
			}
		}
	}
	if n := len(directives().names); n < 600 {
		t.Errorf("only %d directives", n)
	}
}

// Every balancer is known, and every pass directive.
func TestDirectivesNamedInCode(t *testing.T) {
	for _, name := range []string{"least_conn", "least_time", "ip_hash", "hash", "random"} {
		if _, here, _ := find(name, inUpstream); !here {
			t.Errorf("%s isn't in the table", name)
		}
	}
	for name := range passSchemes {
		if _, here, _ := find(name, inLocation); !here {
			t.Errorf("%s isn't in the table", name)
		}
	}
}

func TestSuggest(t *testing.T) {
	for name, want := range map[string]string{
		"proxy_pas": "proxy_pass", "porxy_pass": "proxy_pass", "upsteam": "upstream", "serve": "server", "lisen": "listen",
		"proxy_conect_timeout": "proxy_connect_timeout", "keep_alive": "keepalive", "xyzzy": "", "a": "", "": "",
		strings.Repeat("x", 5000): "",
	} {
		got := suggest(name, directives().names)
		if want != "" {
			want = `did you mean "` + want + `"?`
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
