package harness

import (
	"path/filepath"
	"testing"
)

// production are configurations as they are on servers, each in a folder of its own
// with a scenario: nginx's own default, a Rails application, what nginx-proxy and an
// ingress controller generate, and TLS in front of a pool.
func production(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/production/*/*.yaml")
	if err != nil || len(files) != 5 {
		t.Fatal(files, err)
	}
	return files
}

// hold runs the scenarios of a file on an engine, and expects of them what they do.
func hold(t *testing.T, name string, e Engine) {
	file, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range file.Scenarios {
		r, err := Run(t.Context(), s, e)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Valid() {
			t.Fatal(r.Invalid)
		}
		for _, v := range r.Verdicts {
			if !v.OK {
				t.Errorf("%s: want %s, got %s", v.Check, v.Want, v.Got)
			}
		}
	}
}

// A production configuration runs without being changed, whatever is in it that no
// traffic comes to.
func TestProduction(t *testing.T) {
	for _, name := range production(t) {
		for _, e := range []Engine{Sim, Reference} {
			t.Run(filepath.Base(name)+" on "+string(e), func(t *testing.T) { hold(t, name, e) })
		}
	}
}
