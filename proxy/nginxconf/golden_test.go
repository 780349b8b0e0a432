package nginxconf

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// testCase is one case of a golden file: a title line "=== title", the
// configuration, "----", and what comes out of it.
type testCase struct{ title, in, want string }

// readCases reads a golden file; head is what comes before its first case.
func readCases(t *testing.T, name string) (head string, cases []testCase) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split("\n"+string(text), "\n=== ")
	for _, p := range parts[1:] {
		title, rest, _ := strings.Cut(p, "\n")
		in, want, _ := strings.Cut(rest, "\n----\n")
		cases = append(cases, testCase{title, strings.TrimSuffix(in, "\n----"), strings.TrimRight(want, "\n")})
	}
	if len(cases) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	return strings.TrimPrefix(parts[0], "\n"), cases
}

// golden runs every case of the files of a folder of testdata.
func golden(t *testing.T, folder string, run func(t *testing.T, title, in string) string) {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata/%s (%v)", folder, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			head, cases := readCases(t, name)
			out := bytes.NewBufferString(head)
			for i, c := range cases {
				t.Run(c.title, func(t *testing.T) {
					got := strings.TrimRight(run(t, c.title, c.in), "\n")
					if i > 0 || head != "" {
						out.WriteString("\n")
					}
					out.WriteString("=== " + c.title + "\n" + c.in + "\n----\n" + got + "\n")
					if d := cmp.Diff(c.want, got); d != "" && !*update {
						t.Errorf("%s (-want +got):\n%s\n%s", c.title, c.in, d)
					}
				})
			}
			if *update {
				if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
