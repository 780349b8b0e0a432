package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

func TestShippedScenariosLoad(t *testing.T) {
	names := scenarios.Names()
	if len(names) < 7 {
		t.Fatalf("only %v", names)
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		src, ok := scenarios.Source(name)
		if !ok {
			t.Errorf("%s has no source", name)
			continue
		}
		if first, _, _ := strings.Cut(string(src), "\n"); first != "# yaml-language-server: $schema=schema.json" {
			t.Errorf("%s begins with %q", name, first)
		}
		f, ps := scenario.Parse(name+".yaml", src, scenarios.FS)
		if len(ps) > 0 {
			t.Errorf("%v", ps)
			continue
		}
		if len(f.Warnings) > 0 {
			t.Errorf("%v", f.Warnings)
		}
		for _, s := range f.Scenarios {
			if s.Name != name {
				t.Errorf("%s calls itself %s", name, s.Name)
			}
			if s.About == "" || len(s.Tags) == 0 {
				t.Errorf("%s: about or tags is missing", s.Title())
			}
			if len(s.Engines) < 3 && !strings.Contains(string(src), "engines") {
				t.Errorf("%s leaves out an engine without a reason", s.Title())
			}
		}
		if !strings.Contains(string(page), "## "+name+"\n") {
			t.Errorf("README.md has nothing about %s", name)
		}
	}
}

func TestEveryFileIsShipped(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) != len(scenarios.Names()) {
		t.Errorf("%d files, %d shipped (%v)", len(files), len(scenarios.Names()), err)
	}
	if _, ok := scenarios.Source("no-such"); ok {
		t.Error("a scenario that isn't there has a source")
	}
	if !strings.Contains(string(scenarios.Schema()), "json-schema.org") {
		t.Error("no schema")
	}
}
