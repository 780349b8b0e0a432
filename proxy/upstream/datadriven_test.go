package upstream_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the commands print into testdata")

// TestData runs testdata/*.txt. A paragraph is a command with its input lines,
// `----`, and what it prints, up to an empty line; # lines before a command tell
// the story. The commands are those of table below. After a change of behaviour
// on purpose, go test -run TestData -update writes the new output, and the diff
// shows what changed; figures from nginx's own runs say so in their story and
// may change only together with nginx.
func TestData(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runFile(t, file) })
	}
}

func runFile(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	in := &interpreter{}
	line := 0
	for _, par := range strings.Split(strings.TrimRight(string(text), "\n"), "\n\n") {
		story, input, want := cutParagraph(par)
		out.WriteString(story)
		if input != "" {
			got, err := in.command(input)
			if err != nil {
				t.Fatalf("%s:%d: %v", file, line+1, err)
			}
			out.WriteString(input + "----\n" + got)
			if got != want && !*update {
				t.Errorf("%s:%d: %swant -, got +:\n%s", file, line+1, story+input, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
		}
		out.WriteString("\n")
		line += strings.Count(par, "\n") + 2
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// cutParagraph splits a paragraph into its # lines, the command, and the output.
// Every part that isn't empty ends in a newline.
func cutParagraph(par string) (story, input, want string) {
	par = strings.Trim(par, "\n") + "\n"
	for strings.HasPrefix(par, "#") {
		first, rest, _ := strings.Cut(par, "\n")
		story += first + "\n"
		par = rest
	}
	input, want, _ = strings.Cut(par, "----\n")
	return story, input, want
}
