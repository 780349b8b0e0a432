package nginxconf

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/variable"
)

// The cases of TestClient were also put to nginx 1.22.1, which logged $remote_addr.
var clientCases = []struct {
	name string
	// directives of the server, headers "Name: value|Name: value", want.
	directives, headers, want string
}{
	{"nobody is trusted", "real_ip_header X-Real-IP;", "X-Real-IP: 10.1.2.3", "127.0.0.7"},
	{"another network is trusted", "set_real_ip_from 10.0.0.0/8;", "X-Real-IP: 10.1.2.3", "127.0.0.7"},
	{"X-Real-IP is the default", "set_real_ip_from 127.0.0.0/8;", "x-real-ip: 10.1.2.3", "10.1.2.3"},
	{"its first line counts", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: 10.1.2.3|X-Real-IP: 10.9.9.9", "10.1.2.3"},
	{"of a list in it the last address", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: 10.1.2.3, 10.9.9.9", "10.9.9.9"},
	{"without the header", "set_real_ip_from 127.0.0.0/8;", "X-Forwarded-For: 10.1.2.3", "127.0.0.7"},
	{"no address in it", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: unknown", "127.0.0.7"},
	{"an empty one", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: ", "127.0.0.7"},
	{"leading zeros", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: 010.001.2.3", "10.1.2.3"},
	{"octets without digits", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: 10..2.", "10.0.2.0"},
	{"with a port", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: 10.1.2.3:4711", "10.1.2.3"},
	{"with a port that is none", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: 10.1.2.3:0", "127.0.0.7"},
	{"IPv6", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: 2001:DB8:0:0::1", "2001:db8::1"},
	{"IPv6 with a port", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: [2001:db8::1]:80", "2001:db8::1"},
	{"IPv6 in brackets without", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: [2001:db8::1]", "127.0.0.7"},
	{"a mapped address", "set_real_ip_from 127.0.0.0/8;", "X-Real-IP: ::ffff:10.1.2.3", "::ffff:10.1.2.3"},
	{"the last of X-Forwarded-For", "set_real_ip_from 127.0.0.0/8; real_ip_header X-Forwarded-For;", "X-Forwarded-For: 10.1.1.1, 10.2.2.2", "10.2.2.2"},
	{"the last line of X-Forwarded-For", "set_real_ip_from 127.0.0.0/8; real_ip_header X-Forwarded-For;", "X-Forwarded-For: 10.1.1.1|X-Forwarded-For: 10.2.2.2", "10.2.2.2"},
	{"commas and blanks at its end", "set_real_ip_from 127.0.0.0/8; real_ip_header X-Forwarded-For;", "X-Forwarded-For: 10.1.1.1 10.2.2.2 , ,", "10.2.2.2"},
	{"a comma alone before it", "set_real_ip_from 127.0.0.0/8; real_ip_header X-Forwarded-For;", "X-Forwarded-For: ,10.2.2.2", "127.0.0.7"},
	{"recursive: to the first who isn't trusted", "set_real_ip_from 127.0.0.0/8; set_real_ip_from 10.2.0.0/16; real_ip_header X-Forwarded-For; real_ip_recursive on;",
		"X-Forwarded-For: 10.9.9.9, 10.1.1.1, 10.2.2.2", "10.1.1.1"},
	{"recursive: all are trusted", "set_real_ip_from 127.0.0.0/8; set_real_ip_from 10.0.0.0/8; real_ip_header X-Forwarded-For; real_ip_recursive on;",
		"X-Forwarded-For: 10.1.1.1, 10.2.2.2", "10.1.1.1"},
	{"recursive: through lines", "set_real_ip_from 127.0.0.0/8; set_real_ip_from 10.2.0.0/16; real_ip_header X-Forwarded-For; real_ip_recursive on;",
		"X-Forwarded-For: 10.9.9.9, 10.1.1.1|X-Forwarded-For: 10.2.2.1, 10.2.2.2", "10.1.1.1"},
	{"recursive: up to nonsense", "set_real_ip_from 127.0.0.0/8; set_real_ip_from 10.0.0.0/8; real_ip_header X-Forwarded-For; real_ip_recursive on;",
		"X-Forwarded-For: 10.1.1.1, unknown, 10.2.2.2", "10.2.2.2"},
	{"recursive: nonsense in an earlier line", "set_real_ip_from 127.0.0.0/8; set_real_ip_from 10.0.0.0/8; real_ip_header X-Forwarded-For; real_ip_recursive on;",
		"X-Forwarded-For: unknown|X-Forwarded-For: 10.2.2.2", "10.2.2.2"},
	{"recursive in X-Real-IP too", "set_real_ip_from 127.0.0.0/8; set_real_ip_from 10.2.0.0/16; real_ip_recursive on;", "X-Real-IP: 10.1.1.1, 10.2.2.2", "10.1.1.1"},
	{"a name of one's own", "set_real_ip_from 127.0.0.0/8; real_ip_header x-cLient;", "X-Client: 10.1.2.3|X-Client: 10.9.9.9", "10.1.2.3"},
	{"in lower case X-Forwarded-For is one too", "set_real_ip_from 127.0.0.0/8; real_ip_header x-forwarded-for;", "X-Forwarded-For: 10.1.1.1|X-Forwarded-For: 10.2.2.2", "10.1.1.1"},
	{"a header with an underscore is dropped", "set_real_ip_from 127.0.0.0/8; real_ip_header X_Client;", "X_Client: 10.1.2.3", "127.0.0.7"},
	{"unix: trusts nobody here", "set_real_ip_from unix:;", "X-Real-IP: 10.1.2.3", "127.0.0.7"},
	{"the location too, when the server found nothing", "set_real_ip_from 127.0.0.0/8; location / { real_ip_header X-Client; proxy_pass http://127.0.0.1:1; }", "X-Client: 10.1.2.3", "10.1.2.3"},
	{"but once only", "set_real_ip_from 127.0.0.0/8; location / { set_real_ip_from 10.0.0.0/8; real_ip_header X-Client; proxy_pass http://127.0.0.1:1; }", "X-Real-IP: 10.1.2.3|X-Client: 10.9.9.9", "10.1.2.3"},
	{"a location's own lines hide the server's", "set_real_ip_from 127.0.0.0/8; location / { set_real_ip_from 10.0.0.0/8; real_ip_header X-Client; proxy_pass http://127.0.0.1:1; }", "X-Client: 10.9.9.9", "127.0.0.7"},
}

// clientConfig is the configuration of a case, with a location if it has none.
func clientConfig(directives string) string {
	if !strings.Contains(directives, "location") {
		directives += " location / { proxy_pass http://127.0.0.1:1; }"
	}
	return "server { listen 80; " + directives + " }"
}

func caseHeaders(text string) variable.Header {
	return func(yield func(name, value []byte) bool) {
		for _, h := range strings.Split(text, "|") {
			name, value, _ := strings.Cut(h, ": ")
			if !yield([]byte(name), []byte(value)) {
				return
			}
		}
	}
}

func TestClient(t *testing.T) {
	for _, c := range clientCases {
		t.Run(c.name, func(t *testing.T) {
			tree, ps := Parse("x.conf", []byte(clientConfig(c.directives)), nil)
			cfg, more := asTitled(t, tree, "")
			if len(ps)+len(more)+len(cfg.NginxOnly) > 0 {
				t.Fatal(ps, more, cfg.NginxOnly)
			}
			_, l := cfg.Route("", "/")
			if got := l.Pass.Client(netip.MustParseAddr("127.0.0.7"), caseHeaders(c.headers)); got.String() != c.want {
				t.Errorf("%s\n%s: %v, want %s", c.directives, c.headers, got, c.want)
			}
		})
	}
}
