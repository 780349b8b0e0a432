// Package scenarios is the shipped library: one YAML file per incident, and the
// JSON Schema that editors use. It never interprets what it holds.
package scenarios

import (
	"embed"
	"io/fs"
	"strings"
)

// FS holds the shipped scenarios, NAME.yaml each.
//
//go:embed *.yaml
var FS embed.FS

//go:embed schema.json
var schema []byte

// Names are the names of all shipped scenarios, sorted.
func Names() []string {
	files, _ := fs.Glob(FS, "*.yaml")
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".yaml")
	}
	return files
}

// Source is the text of a shipped scenario; false when none has that name.
func Source(name string) ([]byte, bool) {
	src, err := FS.ReadFile(name + ".yaml")
	return src, err == nil
}

// Schema is the JSON Schema of a scenario file.
func Schema() []byte { return append([]byte(nil), schema...) }
