//go:build e2e

package nginxconf

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	waySeed  = flag.Uint64("ways.seed", 0, "the seed of the random configurations; 0 is another one each time")
	wayWrite = flag.String("ways.record", "", "the file to write the answers to")
	wayCount = flag.Int("ways.count", 40, "how many random servers, 250 at most")
)

// generator writes random server blocks.
type generator struct{ *rand.Rand }

func (g generator) one(list ...string) string { return list[g.IntN(len(list))] }

func (g generator) some(p float64) bool { return g.Float64() < p }

// segments make paths that often match, and often almost do.
func (g generator) path() string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString("/" + g.one("a", "b", "ab", "a.x", "B"))
	}
	if g.some(0.35) {
		b.WriteString("/")
	}
	return b.String()
}

func (g generator) target() string {
	if g.some(0.05) {
		return g.one("/", "/..", "/%zz", "/a/../b/", "//a//b", "/a/./b")
	}
	t := g.path()
	if g.some(0.3) {
		t += g.one("%20z", "+y", "%2Fb", "%61", "x|y", "%3f", "%25", ".gif", "%c3%a9")
	}
	if g.some(0.4) {
		t += "?" + g.one("v=1", "v=2", "q", "v=echo&x=%20", "", "v=dead")
	}
	return t
}

func (g generator) text() string {
	return g.one("plain", "$uri", "$request_uri", "[$1][$2]", "$n.$s", "$args", "$is_args$args", "$host", "$arg_v", "$m", "$request_method", "$document_uri-$server_name", "$http_x_t", "$scheme")
}

func (g generator) regex() string {
	return g.one(`^/a`, `b$`, `/(\w)/(\w+)`, `^/(?<n>[ab]+)`, `\.x`, `(a)(b)?`, `^/a/(.*)$`, `/$`, `^/(?<n>a|ab)/?(.*)`, `B`)
}

// codes are rewrite directives.
func (g generator) codes(depth int) string {
	var b strings.Builder
	for g.some(0.3) {
		switch g.IntN(6) {
		case 0:
			fmt.Fprintf(&b, "set $%s %q; ", g.one("s", "n2"), g.text())
		case 1:
			fmt.Fprintf(&b, "rewrite %q %q%s; ", g.regex(), g.one("/b/$1", "/a", "/ab/$1?z=$2", "/b/$uri?", "/a?", "/b/c?k=v?"), g.one("", " last", " break", " last"))
		case 2:
			fmt.Fprintf(&b, "rewrite %q %q%s; ", g.regex(), g.one("/r/$1", "http://h/$1?z=$2", "/r$uri?"), g.one(" redirect", " permanent"))
		case 3:
			b.WriteString("break; ")
		default:
			fmt.Fprintf(&b, "if (%s) { %s%s} ", g.one(
				"$arg_v", "$arg_v = 1", `$arg_v != "2"`, `$uri ~ "`+g.regex()+`"`, `$uri ~* "`+g.regex()+`"`, `$uri !~ "`+g.regex()+`"`, "$request_method = POST", "$http_x_t", "$s = plain"),
				g.one("set $s in; ", "", "set $s $1; "), g.one("return 403; ", "return 200 "+`"if `+g.text()+`"; `, "", "break; ", "rewrite ^ /b last; "))
		}
	}
	return b.String()
}

func (g generator) errorPages() string {
	var b strings.Builder
	for g.some(0.45) {
		fmt.Fprintf(&b, "error_page %s%s %s; ", g.one("502", "404 403", "502 503", "500 404", "301 302", "405", "413"), g.one("", "", " =", " =200", " =404", " =503", " =301"),
			g.one("@f", "@g", "/b", "/a/b?e=1", "http://h/x", "/e$uri", "@none"))
	}
	if g.some(0.2) {
		b.WriteString("recursive_error_pages on; ")
	}
	return b.String()
}

// content is how a location answers.
func (g generator) content(tag string) string {
	if g.some(0.15) {
		return ""
	}
	switch g.IntN(4) {
	case 0:
		return "return " + g.one("404", "403", "503", "204", "405", "502", "418", "301 /r", "302 http://h/$uri", "200") + "; "
	case 1:
		return fmt.Sprintf("return %s %q; ", g.one("200", "201", "404", "503", "302"), tag+" "+g.text())
	}
	return "proxy_pass " + g.one("http://echo", "http://echo", "http://dead", "http://bad", "http://$m", "http://$m/v/$1", "http://echo$request_uri", "http://echo$uri", "http://e2:81") +
		"; " + g.one("", "proxy_intercept_errors on; ")
}

func (g generator) location(inside string, depth int, n *int) string {
	*n++
	tag := fmt.Sprintf("L%d", *n)
	mod, path := g.one("", "", "", "= ", "^~ ", "~ ", "~* "), ""
	plain := strings.Contains(mod, "~ ") && mod != "^~ " || mod == "~* "
	if plain {
		path = fmt.Sprintf("%q", g.regex())
	} else {
		path = inside + g.path()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  location %s%s { ", mod, path)
	if g.some(0.06) {
		b.WriteString("internal; ")
	}
	if g.some(0.15) {
		fmt.Fprintf(&b, "add_header X-A %q%s; ", tag+g.text(), g.one("", " always"))
	}
	if g.some(0.07) {
		b.WriteString("limit_except " + g.one("GET", "GET POST", "HEAD", "PUT") + " { " + g.one("deny all; ", "proxy_pass http://echo; ", "") + "} ")
	}
	if g.some(0.1) {
		b.WriteString("client_max_body_size 5; ")
	}
	if g.some(0.3) {
		b.WriteString(g.errorPages())
	}
	b.WriteString(g.codes(0))
	c := g.content(tag)
	if !plain && strings.HasPrefix(c, "proxy_pass http://echo; ") && g.some(0.5) {
		c = "proxy_pass http://echo" + g.one("/", "/p/", "/p?q", "/p") + "; "
	}
	b.WriteString(c)
	if depth < 2 && mod != "= " && g.some(0.3) {
		prefix := path
		if plain {
			prefix = "!"
		}
		b.WriteString("\n")
		for range 1 + g.IntN(2) {
			if prefix == "!" {
				// Only a regex can be inside one.
				fmt.Fprintf(&b, "    location ~ %q { return 200 %q; }\n", g.regex(), tag+"n "+g.text())
			} else {
				b.WriteString(g.location(strings.TrimSuffix(prefix, "/"), depth+1, n))
			}
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func (g generator) server(port int) string {
	var b strings.Builder
	n := 0
	fmt.Fprintf(&b, "server { listen %d; set $s -; set $n2 -; if ($arg_never ~ (?<n>x)) { break; }\n", port)
	if g.some(0.3) {
		b.WriteString("  server_name srv;\n")
	}
	b.WriteString("  " + g.errorPages() + "\n")
	if g.some(0.15) {
		b.WriteString("  " + g.codes(0) + "\n")
	}
	if g.some(0.2) {
		b.WriteString("  add_header X-S $uri always;\n")
	}
	for range 3 + g.IntN(6) {
		b.WriteString(g.location("", 0, &n))
	}
	for _, name := range []string{"@f", "@g"} {
		fmt.Fprintf(&b, "  location %s { %s%s%s }\n", name, g.errorPages(), g.codes(0), g.content(name))
	}
	b.WriteString("}\n")
	return b.String()
}

// Real nginx answers what the model says, on random trees of locations with
// regexes, ifs, rewrites, error pages and what they lead to.
func TestWaysAsNginx(t *testing.T) {
	seed := *waySeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	var servers []string
	for len(servers) < *wayCount {
		s := g.server(9000 + len(servers))
		tree, ps := Parse("x.conf", []byte(shared+s), nil)
		c, more := Interpret(tree)
		if len(ps)+len(more)+len(c.NginxOnly) == 0 {
			servers = append(servers, s)
		} else if len(more) > 0 && !strings.Contains(lines(more), "duplicate location") {
			t.Logf("not used: %s\n%s", lines(more), s)
		}
	}
	text := shared + strings.Join(servers, "")
	c := mustInterpret(t, text)
	at := serveWays(t, c)
	asked, passed, wrong := 0, 0, 0
	var record strings.Builder
	for i, s := range servers {
		port := c.Port(fmt.Sprint(9000 + i))
		fmt.Fprintf(&record, "=== \n%s----\n", s)
		for range 50 {
			r := wayRequest{method: g.one("GET", "GET", "GET", "POST", "PUT", "HEAD", "DELETE"), target: g.target()}
			if g.some(0.2) {
				r.x = g.one("1", "0", "tt")
			}
			if r.method == "POST" || r.method == "PUT" {
				r.body = g.one("", "abc", "abcdefgh")
			}
			want, n := modelAnswer(c, port.Server("h"), r)
			got := nginxAnswer(t, at[i], r)
			fmt.Fprintf(&record, "%s\t%s\t%s\t%s\t%s\n", r.method, r.target, r.x, r.body, got)
			asked++
			if n > 0 {
				passed++
			}
			if got != want {
				if wrong++; wrong <= 5 {
					t.Errorf("%+v\nnginx: %s\nmodel: %s\n%s", r, got, want, s)
				}
			}
		}
	}
	if *wayWrite != "" {
		if err := os.WriteFile(*wayWrite, []byte(recordHead+record.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d requests, %d of them passed on, %d differ", asked, passed, wrong)
}

// nginxAnswer is the same from nginx.
func nginxAnswer(t *testing.T, at string, r wayRequest) string {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	head := r.method + " " + r.target + " HTTP/1.0\r\nHost: h\r\n"
	if r.x != "" {
		head += "X-T: " + r.x + "\r\n"
	}
	if r.body != "" {
		head += fmt.Sprintf("Content-Length: %d\r\n", len(r.body))
	}
	_, _ = io.WriteString(c, head+"\r\n"+r.body)
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: r.method})
	if err != nil {
		return err.Error()
	}
	b, _ := io.ReadAll(resp.Body)
	body := string(b)
	if strings.HasPrefix(body, "<html>\r\n<head><title>") && strings.Contains(body, "<hr><center>nginx") {
		body = "page"
	}
	var added []string
	for _, n := range []string{"X-A", "X-S"} {
		for _, v := range resp.Header.Values(n) {
			added = append(added, n+"="+v)
		}
	}
	location := resp.Header.Get("Location")
	// The port is the machine's.
	location = strings.Replace(location, at[strings.LastIndexByte(at, ':'):], "", 1)
	return fmt.Sprintf("%d %q to %q %v", resp.StatusCode, body, location, added)
}

// serveWays starts nginx with its backends and returns the addresses of the
// random servers.
func serveWays(t *testing.T, c *Config) []string {
	t.Helper()
	dir := t.TempDir()
	pages := filepath.Join(dir, "pages")
	for _, name := range c.Tree.Pages() {
		file := filepath.Join(pages, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(StandInPage), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := RenderOptions{Dir: dir, Backends: map[string]string{}, Listens: map[string]string{}, PagesDir: pages,
		ErrorLog: "error_log " + dir + "/error.log;", AccessLog: "access_log off;",
		Main: Section{Text: "daemon off; master_process off; pid " + dir + "/pid;"}}
	for _, n := range c.Backends {
		name, _, _ := strings.Cut(n, ":")
		switch name {
		case "d1":
			o.Backends[n] = deadAddress
		case "b1":
			o.Backends[n] = backend(t, func(string) string { return "HTTP/1.0 404 No\r\nContent-Length: 3\r\n\r\nbad" })
		default:
			o.Backends[n] = backend(t, func(line string) string {
				body := strings.TrimSuffix(line, " HTTP/1.0") + " of " + name
				return fmt.Sprintf("HTTP/1.0 299 Echo\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			})
		}
	}
	var at []string
	for i, n := range c.Tree.Listens() {
		// Below the ports that outgoing connections get.
		o.Listens[n] = fmt.Sprintf("127.8.%d.%d:28080", os.Getpid()%250, i+1)
		at = append(at, o.Listens[n])
	}
	r, err := Render(c.Tree, o)
	if err != nil {
		t.Fatal(err)
	}
	if m := nginxTest(t, dir, r.Text); m != "" {
		at, _ := r.Problem(m)
		t.Fatalf("%s\n%s", m, lineOf(r.Text, at.Pos.Line))
	}
	cmd := exec.Command("nginx", "-p", dir, "-e", filepath.Join(dir, "start.log"), "-c", filepath.Join(dir, "nginx.conf"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", at[len(at)-1]); err == nil {
			c.Close()
			return at
		}
		if time.Now().After(deadline) {
			t.Fatal("nginx doesn't accept")
		}
	}
}

func lineOf(text []byte, n int) string {
	ls := bytes.Split(text, []byte("\n"))
	if n < 1 || n > len(ls) {
		return ""
	}
	return string(ls[n-1])
}

// deadAddress is an address where nobody listens.
const deadAddress = "127.77.0.1:1"

// backend answers every request with what answer makes of its first line.
func backend(t *testing.T, answer func(line string) string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				line, _ := r.ReadString('\n')
				length := 0
				for {
					h, err := r.ReadString('\n')
					if err != nil || strings.TrimSpace(h) == "" {
						break
					}
					_, _ = fmt.Sscanf(strings.ToLower(h), "content-length: %d", &length)
				}
				_, _ = io.CopyN(io.Discard, r, int64(length))
				_, _ = io.WriteString(c, answer(strings.TrimSpace(line)))
			}()
		}
	}()
	return l.Addr().String()
}
