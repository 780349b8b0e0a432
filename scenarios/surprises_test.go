package scenarios_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

// Every scenario of the page of surprises says what it shows, and shows it: it
// holds on the simulator and fails with nothing wrong.
func TestSurprises(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, ok := strings.Cut(string(text), "\n# Surprises\n")
	if !ok {
		t.Fatal("there is no page of surprises")
	}
	blocks := strings.Split(page, "```yaml\n")[1:]
	if len(blocks) < 14 {
		t.Errorf("%d scenarios", len(blocks))
	}
	names := map[string]bool{}
	for _, b := range blocks {
		src, _, _ := strings.Cut(b, "```")
		f, problems := scenario.Parse("README.md", []byte(src), nil)
		if err := problems.Err(); err != nil {
			t.Errorf("%v in\n%s", err, src)
			continue
		}
		s := f.Scenarios[0]
		t.Run(s.Name, func(t *testing.T) {
			if names[s.Name] {
				t.Error("the name is there twice")
			}
			names[s.Name] = true
			r, err := harness.Run(t.Context(), s, harness.Sim)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range r.Verdicts {
				if !v.OK {
					t.Errorf("%s: want %s, got %s", v.Check, v.Want, v.Got)
				}
			}
		})
	}
	for section := range strings.SplitSeq(page, "\n## ") {
		if title, body, ok := strings.Cut(section, "\n"); ok && strings.Contains(body, "```yaml") && !strings.Contains(body, "`ngx_") {
			t.Errorf("%s: no function of nginx is named", title)
		}
	}
}
