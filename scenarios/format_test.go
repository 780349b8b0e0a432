package scenarios_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/scenario"
)

// example is the whole scenario of FORMAT.md.
func example(t *testing.T) (page, yaml string) {
	t.Helper()
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	yaml, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the page has no example")
	}
	return string(text), yaml
}

// rows are the first two columns of a section's table.
func rows(t *testing.T, page, section string) map[string]string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n## `"+section+"`\n")
	if !ok {
		t.Fatalf("the page has no section %s", section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	out := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| (\\w+) \\| `([^`]*)`").FindAllStringSubmatch(rest, -1) {
		out[m[1]] = m[2]
	}
	return out
}

// Every word of the page is one that the loader takes, and it leaves none out.
func TestTheFormatPageIsTrue(t *testing.T) {
	page, yaml := example(t)
	load := func(what, src string) {
		t.Helper()
		if _, problems := scenario.Parse("FORMAT.md", []byte(src), nil); len(problems) > 0 {
			t.Errorf("%s: %v", what, problems)
		}
	}
	load("the example", yaml)
	if a, rest, ok := strings.Cut(page, "may also be a mapping, `app1:8080: "); !ok || a == "" {
		t.Error("the page doesn't say how a backend is a mapping")
	} else {
		own, _, _ := strings.Cut(rest, "`")
		own = strings.Join(strings.Fields(own), " ")
		load(own, regexp.MustCompile(`(?s)  app1:8080: .*?\ntraffic:`).ReplaceAllLiteralString(yaml, "  app1:8080: "+own+"\ntraffic:"))
	}

	faults := rows(t, page, "do")
	for _, k := range fault.Kinds() {
		do := faults[k.Name]
		switch {
		case do == "":
			t.Errorf("the fault %s has no example", k.Name)
			continue
		case strings.HasPrefix(k.Name, "wait"):
			do = "[" + do + ", {status: 200}]"
		}
		src := strings.Replace(yaml, "      do: hang\n", "      do: "+do+"\n", 1)
		if f, err := k.New().Fault(); err == nil && f.Layer() != fault.OnRequest || k.Name == "slow_accept" {
			src = strings.Replace(src, "path: /reports/*, ", "", 1)
		}
		if k.Name == "connections" { // nothing selects it
			src = regexp.MustCompile(`(?m)^    - when: .*\n      do: `+regexp.QuoteMeta(do)).ReplaceAllLiteralString(src, "    - do: "+do)
		}
		load(k.Name, src)
	}

	checks := rows(t, page, "expect")
	for _, k := range check.Kinds() {
		if checks[k.Name] == "" {
			t.Errorf("the check %s has no example", k.Name)
			continue
		}
		load(k.Name, strings.Replace(yaml, "  - share: {of: users, status: 502, is: 0%}\n", "  - "+k.Name+": "+checks[k.Name]+"\n", 1))
	}
}
