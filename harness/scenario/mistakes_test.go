package scenario

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each testdata/bad/NAME.yaml has its messages in NAME.txt: all of them, in the
// order in which a person reads the file. Run with -update to rewrite them.
func TestMistakes(t *testing.T) {
	dir := os.DirFS("testdata/bad")
	for _, name := range glob(t, "testdata/bad/*.yaml") {
		base := path.Base(name)
		t.Run(strings.TrimSuffix(base, ".yaml"), func(t *testing.T) {
			f, ps := LoadFile(base, dir)
			if f != nil || len(ps) == 0 {
				t.Fatalf("taken without a complaint")
			}
			inside(t, dir, ps)
			got := ps.Error() + "\n"
			expected := strings.TrimSuffix(name, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(expected, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(expected)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// inside fails for a problem that isn't at a place of its file.
func inside(t *testing.T, fsys fs.FS, ps Problems) {
	t.Helper()
	for _, p := range ps {
		src, err := fs.ReadFile(fsys, p.Pos.File)
		if err != nil {
			t.Errorf("%v: %v", p, err)
			continue
		}
		if !within(src, p.Pos.Line, p.Pos.Col) {
			t.Errorf("%v: there is no such place", p)
		}
	}
}

// within says whether a place lies in a file: on a line of it, at most just
// after its last byte.
func within(src []byte, line, col int) bool {
	lines := strings.Split(string(src), "\n")
	return line >= 1 && line <= len(lines) && col >= 1 && col <= len(lines[line-1])+1
}

func TestNoSuchFile(t *testing.T) {
	for name, want := range map[string]string{
		"testdata/none.yaml":      "testdata/none.yaml: no such file",
		"no/such/folder/x.yaml":   "no/such/folder/x.yaml: no such file",
		"testdata":                "testdata: is a folder",
		"testdata/bad/empty.yaml": "testdata/bad/empty.yaml:1:1: the file is empty",
	} {
		if _, ps := LoadFile(name, nil); ps.Error() != want {
			t.Errorf("got %q, want %q", ps.Error(), want)
		}
	}
}

func TestHugeFileIsRefusedQuickly(t *testing.T) {
	line := "key: {a: [1, 2, 3], b: text}\n"
	src := []byte(strings.Repeat(line, 10<<20/len(line)))
	fsys := fstest.MapFS{"huge.yaml": {Data: src}}
	began := time.Now()
	_, ps := LoadFile("huge.yaml", fsys)
	took := time.Since(began)
	if want := "huge.yaml:1:1: the file has more than 1048576 bytes; a scenario is at most 1 MiB"; ps.Error() != want {
		t.Errorf("got %q, want %q", ps.Error(), want)
	}
	// Parsing it takes seconds; not reading it takes no time, whatever else runs.
	if took > time.Second {
		t.Errorf("took %v", took)
	}
	_, ps = Parse("nginx.yaml", []byte("name: x\nproxy: {nginx: {file: huge.yaml}}\n"), fsys)
	if !strings.Contains(ps.Error(), "nginx.yaml:2:23: nginx: huge.yaml: the file has more than 1 MiB") {
		t.Errorf("got %q", ps.Error())
	}
}

// Everything up to the size limit has to be looked at, and takes bounded time.
func TestBigFilesTakeBoundedTime(t *testing.T) {
	fill := func(s string) []byte { return []byte(strings.Repeat(s, MaxSize/len(s))) }
	for name, src := range map[string][]byte{
		"unknown keys": func() []byte {
			var b strings.Builder
			for i := 0; b.Len() < MaxSize-20; i++ {
				b.WriteString("k")
				b.WriteString(strings.Repeat("x", i%7))
				b.WriteByte(byte('a' + i%26))
				b.WriteString(": 1\n")
			}
			return []byte(b.String())
		}(),
		"nesting":      fill("["),
		"block nest":   []byte(strings.Repeat("- ", MaxSize/2)),
		"braces":       fill("{a: "),
		"list":         append([]byte("tags:\n"), fill("- a\n")[:MaxSize-10]...),
		"long key":     append(append([]byte("a"), fill("b")[:MaxSize-10]...), ": 1\n"...),
		"long value":   append([]byte("name: "), fill("b")[:MaxSize-10]...),
		"nginx":        append([]byte("proxy:\n  nginx: |\n"), fill("    server a;\n")[:MaxSize-30]...),
		"folded nginx": append([]byte("proxy:\n  nginx: >\n"), fill("    server a;\n")[:MaxSize-30]...),
		"words nginx":  append([]byte("proxy:\n  nginx: >\n"), fill("    x\n")[:MaxSize-30]...),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, ps := Parse("big.yaml", src, nil)
			took := time.Since(began)
			if len(ps) == 0 {
				t.Error("taken without a complaint")
			}
			if len(ps) > 250 {
				t.Errorf("%d messages", len(ps))
			}
			inside(t, fstest.MapFS{"big.yaml": {Data: src}}, ps)
			// Half a second on an idle core; the bound only tells it from minutes.
			if took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			t.Logf("%d messages in %v", len(ps), took)
		})
	}
}

func TestNoTextIsRefused(t *testing.T) {
	for src, want := range map[string]string{
		"\x00\x01\x02":                           "x.yaml:1:1: not a text file in UTF-8: byte 0x00",
		"name: x\nabout: \xff\xfe":               "x.yaml:2:8: not a text file in UTF-8: byte 0xff",
		"\x7fELF\x02\x01":                        "x.yaml:1:1: not a text file in UTF-8: byte 0x7f",
		"\xff\xfen\x00a\x00":                     "x.yaml:1:1: not a text file in UTF-8: byte 0xff",
		"name: x\rabout: y\r":                    "x.yaml:1:8: a line has to end with a line feed, not with U+000D",
		"name: x\nabout: \"a\u2028b\"":           "x.yaml:2:10: a line has to end with a line feed, not with U+2028",
		"PK\x03\x04":                             "x.yaml:1:3: not a text file in UTF-8: byte 0x03",
		"name: \"a\x1b[31mred\"":                 "x.yaml:1:9: not a text file in UTF-8: byte 0x1b",
		"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n": "x.yaml:2:2: not a text file in UTF-8: byte 0xe2",
	} {
		if _, ps := Parse("x.yaml", []byte(src), nil); ps.Error() != want {
			t.Errorf("%q: got %q, want %q", src, ps.Error(), want)
		}
	}
}

func TestFilesOutsideTheFolderAreRefused(t *testing.T) {
	dir := t.TempDir()
	scenarioDir := dir + "/in"
	for name, text := range map[string]string{
		"/secret.conf": "upstream secret { server s:1; }",
		"/in/a.yaml":   "name: a\nproxy: {nginx: {file: link.conf}}\ntraffic: {x: {request: GET /, times: 1}}\nexpect: [{status: {of: x, is: 200}}]\n",
	} {
		if err := errors.Join(os.MkdirAll(scenarioDir, 0o755), os.WriteFile(dir+name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret.conf", scenarioDir+"/link.conf"); err != nil {
		t.Skip(err)
	}
	_, ps := LoadFile(scenarioDir+"/a.yaml", nil)
	if len(ps) != 1 || !strings.Contains(ps.Error(), "a.yaml:2:23: nginx: link.conf: ") {
		t.Errorf("got %v", ps)
	}
}
