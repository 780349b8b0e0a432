//go:build e2e

package nginxconf

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// notHere are cases that this machine's nginx can't judge, and why.
var notHere = map[string]string{
	"a directive of a loaded module":    "there is no such module",
	"an included file that isn't there": "its message has a folder in it",
}

// nginxTest runs nginx -t on a text and returns its first [emerg] line, "" when
// it is content.
func nginxTest(t *testing.T, dir string, text []byte) string {
	t.Helper()
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("nginx", "-t", "-p", dir, "-e", filepath.Join(dir, "start.log"), "-c", file).CombinedOutput()
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte("[emerg]")) {
			return strings.TrimSpace(string(line))
		}
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return ""
}

// What nginx accepts we accept, and what it refuses we refuse with the same
// words. Its line is where the directive ends, ours where the mistake is.
func TestAgreesWithNginx(t *testing.T) {
	files, _ := filepath.Glob("testdata/interpret/*.txt")
	agreed := 0
	for _, name := range files {
		_, cases := readCases(t, name)
		for _, c := range cases {
			if _, other := ownVersion(c.title); other || notHere[c.title] != "" {
				continue
			}
			t.Run(filepath.Base(name)+"/"+c.title, func(t *testing.T) {
				dir := t.TempDir()
				tree, ps := Parse("x.conf", []byte(c.in), os.DirFS("testdata"))
				broken := len(ps) > 0
				cfg, more := asTitled(t, tree, c.title)
				ps = append(ps, more...)

				o := RenderOptions{Dir: dir, Backends: map[string]string{}, Listens: map[string]string{},
					Main: Section{Text: "pid " + dir + "/pid;"}, ErrorLog: "error_log " + dir + "/error.log warn;", AccessLog: "access_log " + dir + "/ours.log;"}
				for i, n := range tree.Listens() {
					o.Listens[n] = n // a refused text isn't bound
					if len(ps) == 0 {
						o.Listens[n] = fmt.Sprintf("127.7.%d.%d:28080", os.Getpid()%250, i+1)
					}
				}
				for i, n := range cfg.Backends {
					o.Backends[n] = n
					if len(ps) == 0 {
						o.Backends[n] = fmt.Sprintf("127.0.0.1:%d", 20000+i)
					}
				}
				if strings.Contains(c.in, "stream {") && !tree.Loads(streamModule) {
					// Debian's stream is a module of its own.
					if m, _ := filepath.Glob("/usr/lib/nginx/modules/" + streamModule); len(m) > 0 {
						o.Main.Text = "load_module " + m[0] + "; " + o.Main.Text
					}
				}
				r := &Rendered{Text: []byte(c.in)}
				r.lines.add(0, tree.Files[0], Span{0, len(c.in)})
				if !broken {
					var err error
					if r, err = Render(tree, o); err != nil {
						t.Fatal(err)
					}
				}
				message := nginxTest(t, dir, r.Text)
				switch {
				case message == "" && len(ps) > 0:
					t.Fatalf("nginx accepts it, we say\n%s", lines(ps))
				case message != "" && len(ps) == 0:
					t.Fatalf("we accept it, nginx says\n%s\n%s", message, r.Text)
				case message == "":
					agreed++
					return
				}
				theirs, mapped := r.Problem(message)
				for _, p := range ps {
					if p.Text == theirs.Text && p.Pos.Line <= theirs.Pos.Line || !mapped && strings.Contains(message, p.Text) {
						agreed++
						return
					}
				}
				t.Errorf("nginx says %s (%v), we say\n%s\n%s", message, theirs, lines(ps), r.Text)
			})
		}
	}
	t.Logf("%d cases agree", agreed)
}
