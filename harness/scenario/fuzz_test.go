package scenario

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/scenarios"
)

// Parse never panics, ends soon, and whatever it complains about is at a place
// in the file. What it takes is complete.
func FuzzParse(f *testing.F) {
	for _, name := range scenarios.Names() {
		src, _ := scenarios.Source(name)
		f.Add(src)
	}
	for _, pattern := range []string{"testdata/bad/*.yaml", "testdata/good/*.yaml", "testdata/schema/*.yaml"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	conf := []byte("upstream app { server app1:8080; }\nserver { location / { proxy_pass http://app; } }\n")
	f.Fuzz(func(t *testing.T, src []byte) {
		fsys := fstest.MapFS{"f.yaml": {Data: src}, "portal.conf": {Data: conf}, "broken.conf": {Data: []byte("server { x")}}
		began := time.Now()
		file, ps := Parse("f.yaml", src, fsys)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("took %v for %d bytes", took, len(src))
		}
		if (file == nil) == (len(ps) == 0) {
			t.Fatalf("%v and %d problems", file, len(ps))
		}
		inside(t, fsys, ps)
		for i := 1; i < len(ps); i++ {
			a, b := ps[i-1].Pos, ps[i].Pos
			if a.File == b.File && (a.Line > b.Line || a.Line == b.Line && a.Col > b.Col) {
				t.Errorf("%v before %v", ps[i-1], ps[i])
			}
		}
		if file == nil {
			return
		}
		inside(t, fsys, file.Warnings)
		for _, s := range file.Scenarios {
			complete(t, s)
		}
	})
}

// complete checks what everything that comes after the loader relies on.
func complete(t *testing.T, s *Scenario) {
	t.Helper()
	if !scenarioName.MatchString(s.Name) || s.Nginx == nil || len(s.Traffic) == 0 || len(s.Expect) == 0 || len(s.Engines) == 0 {
		t.Fatalf("incomplete: %+v", s)
	}
	if len(s.Backends) != len(s.Nginx.Backends) || s.Jitter < time.Millisecond {
		t.Errorf("%d backends of %d, jitter %v", len(s.Backends), len(s.Nginx.Backends), s.Jitter)
	}
	for _, x := range s.Traffic {
		l := x.Load
		forms := 0
		for _, has := range []bool{len(l.At) > 0, l.Rate > 0 && l.For > 0, l.Rate == 0 && l.Users > 0 && (l.Times > 0 || l.For > 0)} {
			if has {
				forms++
			}
		}
		if forms != 1 || x.Method == "" || x.Path == "" || l.For < 0 || l.Pause.Lo > l.Pause.Hi || l.Start.Lo > l.Start.Hi {
			t.Errorf("traffic: %+v", x)
		}
	}
	for _, b := range s.Backends {
		for _, r := range b.Rules {
			if r.Do.Layer() == fault.OnRequest && len(r.Do.Script.Steps) == 0 {
				t.Errorf("backend %s has a rule that does nothing: %+v", b.Name, r)
			}
		}
	}
}
