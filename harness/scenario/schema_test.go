package scenario

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/scenarios"
)

var update = flag.Bool("update", false, "rewrite the schema and the expected messages")

const schemaFile = "../../scenarios/schema.json"

func TestSchemaIsUpToDate(t *testing.T) {
	want := buildSchema(t)
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the Go types say; run go generate ./harness/scenario (-want +got):\n%s", schemaFile, diff)
	}
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(scenarios.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is what an editor's YAML plug-in validates.
func asJSON(t *testing.T, src []byte) any {
	t.Helper()
	var v any
	if err := yaml.Load(src, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestShippedScenariosFollowTheSchema(t *testing.T) {
	s := compileSchema(t)
	for _, name := range scenarios.Names() {
		src, _ := scenarios.Source(name)
		if err := s.Validate(asJSON(t, src)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What the loader takes, the schema takes too; otherwise an editor complains
// about a good file.
func TestAcceptedFilesFollowTheSchema(t *testing.T) {
	s := compileSchema(t)
	for _, name := range glob(t, "testdata/good/*.yaml") {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(asJSON(t, src)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaRefusesWhatItCanSee(t *testing.T) {
	s := compileSchema(t)
	for _, name := range glob(t, "testdata/schema/*.yaml") {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(asJSON(t, src)); err == nil {
			t.Errorf("%s: the schema takes it", name)
		}
		if _, ps := Parse(name, src, nil); len(ps) == 0 {
			t.Errorf("%s: the loader takes it", name)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := fs.Glob(os.DirFS("."), pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no files (%v)", pattern, err)
	}
	return names
}
