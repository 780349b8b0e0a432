package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// broken are configurations that nginx refuses, and what nginx -t says of them:
// the words are nginx 1.22.1's, which the tests on the real one hold it to.
var broken = []struct {
	name, text, want string
	directives       string // of -g
}{
	{name: "unknown directive", text: "events {}\nhttp {\n  nonsense on;\n}\n", want: `unknown directive "nonsense" in DIR/nginx.conf:3`},
	{name: "a directive over several lines", text: "events {}\nhttp {\n  nonsense a\n    b\n    c;\n}\n", want: `unknown directive "nonsense" in DIR/nginx.conf:5`},
	{name: "a block", text: "events {}\nhttp {\n  nonsense\n  {\n  }\n}\n", want: `unknown directive "nonsense" in DIR/nginx.conf:4`},
	{name: "the first of two mistakes", text: "events {}\nhttp {\n  server {\n    listen nowhere:x;\n  }\n  nonsense;\n}\n", want: `invalid port in "nowhere:x" of the "listen" directive in DIR/nginx.conf:4`},
	{name: "no semicolon", text: "events {}\nhttp {\n  server {\n    listen 127.0.0.1:1\n    server_name a;\n  }\n}\n", want: `invalid parameter "server_name" in DIR/nginx.conf:5`},
	{name: "no semicolon at the end", text: "events {}\nhttp {\n  server {\n    server_name a\n  }\n}\n", want: `unexpected "}" in DIR/nginx.conf:5`},
	{name: "a brace too many", text: "events {}\nhttp {\n}\n}\n", want: `unexpected "}" in DIR/nginx.conf:4`},
	{name: "a brace too few", text: "events {}\nhttp {\n  server {\n}\n", want: `unexpected end of file, expecting "}" in DIR/nginx.conf:5`},
	{name: "an open quote", text: "events {}\nhttp {\n  log_format x '$host;\n}\n", want: `unexpected end of file, expecting ";" or "}" in DIR/nginx.conf:5`},
	{name: "number of arguments", text: "events {}\nhttp {\n  keepalive_timeout;\n}\n", want: `invalid number of arguments in "keepalive_timeout" directive in DIR/nginx.conf:3`},
	{name: "not allowed here", text: "events {}\nserver {\n}\n", want: `"server" directive is not allowed here in DIR/nginx.conf:2`},
	{name: "not terminated", text: "events {}\npid {\n}\n", want: `directive "pid" is not terminated by ";" in DIR/nginx.conf:2`},
	{name: "no opening", text: "events {}\nhttp;\n", want: `directive "http" has no opening "{" in DIR/nginx.conf:2`},
	{name: "duplicate", text: "pid a;\npid b;\nevents {}\n", want: `"pid" directive is duplicate in DIR/nginx.conf:2`},
	{name: "duplicate with -g", text: "pid a;\nevents {}\n", directives: "pid b;", want: `"pid" directive is duplicate in DIR/nginx.conf:1`},
	{name: "a mistake in -g", text: "events {}\n", directives: "nonsense;", want: `unknown directive "nonsense" in command line`},
	{name: "no events", text: "http {\n}\n", want: `no "events" section in configuration`},
	{name: "an included file that isn't there", text: "events {}\ninclude none.conf;\n", want: `open() "DIR/none.conf" failed (2: No such file or directory) in DIR/nginx.conf:2`},
	{name: "a mistake in an included file", text: "events {}\ninclude part*.conf;\nnonsense;\n", want: `unknown directive "broken" in DIR/part.conf:2`},
	{name: "host of a server line", text: "events {}\nhttp {\n  upstream u {\n    server no.such.host.invalid:81;\n  }\n}\n", want: `host not found in upstream "no.such.host.invalid:81" in DIR/nginx.conf:4`},
	{name: "host of a proxy_pass", text: "events {}\nhttp {\n  server {\n    listen 127.0.0.1:1;\n    location / {\n      proxy_pass\n        http://no.such.host.invalid;\n    }\n  }\n}\n", want: `host not found in upstream "no.such.host.invalid" in DIR/nginx.conf:7`},
	{name: "host of a listen", text: "events {}\nhttp {\n  server {\n    listen no.such.host.invalid:1;\n  }\n}\n", want: `host not found in "no.such.host.invalid:1" of the "listen" directive in DIR/nginx.conf:4`},
	{name: "parameter of a server line", text: "events {}\nhttp {\n  upstream u {\n    server 127.0.0.1 weight=0;\n  }\n}\n", want: `invalid parameter "weight=0" in DIR/nginx.conf:4`},
	{name: "an empty upstream", text: "events {}\nhttp {\n  upstream u {\n  }\n}\n", want: `no servers are inside upstream in DIR/nginx.conf:4`},
	{name: "duplicate location", text: "events {}\nhttp {\n  server {\n    location /a { return 200; }\n    location /a { return 200; }\n  }\n}\n", want: `duplicate location "/a" in DIR/nginx.conf:5`},
	{name: "a duplicate listen", text: "events {}\nhttp {\n  server {\n    listen 127.0.0.1:1;\n    listen 127.0.0.1:1;\n  }\n}\n", want: `a duplicate listen 127.0.0.1:1 in DIR/nginx.conf:5`},
	{name: "log format that comes later", text: "events {}\nhttp {\n  access_log DIR/a x;\n  log_format x a;\n}\n", want: `unknown log format "x" in DIR/nginx.conf:3`},
	{name: "duplicate log format", text: "events {}\nhttp {\n  log_format x a;\n  log_format x b;\n}\n", want: `duplicate "log_format" name "x" in DIR/nginx.conf:4`},
	{name: "log format that begins with combined", text: "events {}\nhttp {\n  log_format combined a;\n}\n", want: `duplicate "log_format" name "combined" in DIR/nginx.conf:3`},
	{name: "a dollar in a log format", text: "events {}\nhttp {\n  log_format x 'a $ b';\n}\n", want: `invalid parameter "$ b" in DIR/nginx.conf:3`},
	{name: "an unknown variable", text: "events {}\nhttp {\n  log_format x '$host $nonsense';\n  server { listen 127.0.0.1:1; }\n}\n", want: `unknown "nonsense" variable`},
	{name: "escaping", text: "events {}\nhttp {\n  log_format x escape=xml a;\n}\n", want: `unknown log format escaping "xml" in DIR/nginx.conf:3`},
	{name: "flush without a buffer", text: "events {}\nhttp {\n  access_log DIR/a combined flush=1s;\n}\n", want: `no buffer is defined for access_log "DIR/a" in DIR/nginx.conf:3`},
	{name: "parameter of access_log", text: "events {}\nhttp {\n  access_log DIR/a combined when=x;\n}\n", want: `invalid parameter "when=x" in DIR/nginx.conf:3`},
	{name: "access_log off with more", text: "events {}\nhttp {\n  access_log off combined;\n}\n", want: `invalid parameter "combined" in DIR/nginx.conf:3`},
	{name: "log level", text: "error_log DIR/e loud;\nevents {}\n", want: `invalid log level "loud" in DIR/nginx.conf:1`},
	{name: "two log levels", text: "error_log DIR/e warn info;\nevents {}\n", want: `duplicate log level "info" in DIR/nginx.conf:1`},
	{name: `the pattern (`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"(\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: missing closing parenthesis in "(" in DIR/nginx.conf:6`},
	{name: `the pattern a)b`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"a)b\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: unmatched closing parenthesis in "a)b" at ")b" in DIR/nginx.conf:6`},
	{name: `the pattern [a`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"[a\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: missing terminating ] for character class in "[a" in DIR/nginx.conf:6`},
	{name: `the pattern *a`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"*a\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: quantifier does not follow a repeatable item in "*a" at "*a" in DIR/nginx.conf:6`},
	{name: `the pattern a|*b`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"a|*b\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: quantifier does not follow a repeatable item in "a|*b" at "*b" in DIR/nginx.conf:6`},
	{name: `the pattern a**`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"a**\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: quantifier does not follow a repeatable item in "a**" at "*" in DIR/nginx.conf:6`},
	{name: `a count behind a count`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"a{2}{3}\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: quantifier does not follow a repeatable item in "a{2}{3}" at "}" in DIR/nginx.conf:6`},
	{name: `the pattern a\`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"a\\\\\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: \ at end of pattern in "a\" in DIR/nginx.conf:6`},
	{name: `the pattern x[b-a]y`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"x[b-a]y\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: range out of order in character class in "x[b-a]y" at "a]y" in DIR/nginx.conf:6`},
	{name: `the pattern [a-\d]`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"[a-\\\\d]\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: invalid range in character class in "[a-\d]" at "]" in DIR/nginx.conf:6`},
	{name: `the pattern [\d-z]`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"[\\\\d-z]\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: invalid range in character class in "[\d-z]" at "-z]" in DIR/nginx.conf:6`},
	{name: `the pattern a\yb`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"a\\\\yb\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: unrecognized character follows \ in "a\yb" at "yb" in DIR/nginx.conf:6`},
	{name: `the pattern [[:none:]]x`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"[[:none:]]x\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: unknown POSIX class name in "[[:none:]]x" at "none:]]x" in DIR/nginx.conf:6`},
	{name: `the pattern (?#`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"(?#\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: missing ) after (?# comment in "(?#" in DIR/nginx.conf:6`},
	{name: `the pattern x(?i`, text: "events {}\nhttp {\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    location ~ \"x(?i\" { return 200; }\n  }\n}\n", want: `pcre2_compile() failed: missing closing parenthesis in "x(?i" in DIR/nginx.conf:6`},
	{name: "an access log that can't be opened", text: "events {}\nhttp {\n  access_log DIR/none/a;\n  server { listen 127.0.0.1:1; }\n}\n", want: `open() "DIR/none/a" failed (2: No such file or directory)`},
	{name: "an error log that can't be opened", text: "events {}\nerror_log DIR/none/e;\n", want: `open() "DIR/none/e" failed (2: No such file or directory)`},
	{name: "an address that isn't ours", text: "events {}\nhttp {\n  access_log off;\n  server { listen 192.0.2.1:28080; return 200; }\n}\n", want: `bind() to 192.0.2.1:28080 failed (99: Cannot assign requested address)`},
}

// lay writes a broken configuration and returns its folder.
func lay(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"nginx.conf": strings.ReplaceAll(text, "DIR", dir), "part.conf": "# fine\nbroken;\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// firstEmerg is the first [emerg] line, without the name in front.
func firstEmerg(name, out string) string {
	for line := range strings.Lines(out) {
		if _, text, ok := strings.Cut(line, name+": [emerg] "); ok {
			return strings.TrimSpace(text)
		}
	}
	return out
}

// -t says of broken files what nginx says.
func TestBroken(t *testing.T) {
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			dir := lay(t, b.text)
			var out, errs strings.Builder
			code := Run(Options{Conf: filepath.Join(dir, "nginx.conf"), Prefix: dir, Directives: b.directives, Test: true}, &out, &errs, nil)
			if got, want := firstEmerg(Name, errs.String()), strings.ReplaceAll(b.want, "DIR", dir); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if last := "nolive: configuration file " + dir + "/nginx.conf test failed\n"; code != 1 || !strings.HasSuffix(errs.String(), last) || out.String() != "" {
				t.Errorf("status %d, output %q, errors\n%s", code, out.String(), errs.String())
			}
		})
	}
}

// A file that isn't there, and one that is good.
func TestTested(t *testing.T) {
	dir := lay(t, "events {}\nhttp {\n  access_log DIR/a;\n  server { listen 127.0.0.1:1; return 200; }\n}\n")
	test := func(o Options) (int, string, string) {
		var out, errs strings.Builder
		o.Prefix = dir
		code := Run(o, &out, &errs, nil)
		return code, out.String(), strings.ReplaceAll(errs.String(), dir, "DIR")
	}
	if code, out, errs := test(Options{Conf: "none.conf", Test: true}); code != 1 || out != "" ||
		errs != "nolive: [emerg] open() \"DIR/none.conf\" failed (2: No such file or directory)\nnolive: configuration file DIR/none.conf test failed\n" {
		t.Errorf("none: %d %q %q", code, out, errs)
	}
	good := "nolive: the configuration file DIR/nginx.conf syntax is ok\nnolive: configuration file DIR/nginx.conf test is successful\n"
	if code, out, errs := test(Options{Test: true}); code != 0 || out != "" || errs != good {
		t.Errorf("good: %d %q %q", code, out, errs)
	}
	if code, out, errs := test(Options{Test: true, Quiet: true}); code != 0 || out != "" || errs != "" {
		t.Errorf("quiet: %d %q %q", code, out, errs)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "nginx.conf"))
	if code, out, errs := test(Options{Dump: true}); code != 0 || out != "# configuration file "+dir+"/nginx.conf:\n"+string(text)+"\n" || errs != good {
		t.Errorf("dump: %d %q %q", code, out, errs)
	}
}

// What this proxy can't do is refused with the line, all of it at once; what it
// passes over it says.
func TestRefused(t *testing.T) {
	dir := lay(t, `user www-data;
daemon on;
events {}
http {
  gzip on;
  access_log syslog:server=127.0.0.1;
  server {
    listen 127.0.0.1:1;
    listen 127.0.0.1:8000-8010;
    location /fast { fastcgi_pass 127.0.0.1:9000; }
  }
}
`)
	var out, errs strings.Builder
	code := Run(Options{Prefix: dir, Test: true}, &out, &errs, nil)
	if code != 1 {
		t.Errorf("status %d", code)
	}
	for _, want := range []string{
		"the configuration file DIR/nginx.conf syntax is ok",
		`[emerg] "access_log syslog:server=127.0.0.1" isn't modelled: logs go to files in DIR/nginx.conf:6`,
		`[emerg] "listen 127.0.0.1:8000-8010" isn't modelled: a range of ports isn't opened`,
		`[emerg] "fastcgi_pass 127.0.0.1:9000" isn't modelled: it has its own rules of passing on in DIR/nginx.conf:10`,
		"test failed",
	} {
		if !strings.Contains(errs.String(), strings.ReplaceAll(want, "DIR", dir)) {
			t.Errorf("no %s in\n%s", want, errs.String())
		}
	}
	dir = lay(t, "user www-data;\ndaemon on;\nevents {}\nhttp {\n  gzip on;\n  access_log off;\n  server {\n    listen 127.0.0.1:1;\n    return 200;\n  }\n}\n")
	errs.Reset()
	if code := Run(Options{Prefix: dir, Test: true}, &out, &errs, nil); code != 0 {
		t.Errorf("status %d", code)
	}
	for _, want := range []string{
		`[warn] "daemon on" is ignored: the process stays in the foreground, whoever starts it can put it into the background in DIR/nginx.conf:2`,
		`[warn] "user" is ignored: the process keeps its user in DIR/nginx.conf:1`,
		`[warn] "gzip" is ignored: answers go out as they are in DIR/nginx.conf:5`,
	} {
		if !strings.Contains(errs.String(), strings.ReplaceAll(want, "DIR", dir)) {
			t.Errorf("no %s in\n%s", want, errs.String())
		}
	}
}
