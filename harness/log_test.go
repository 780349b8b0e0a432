package harness_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

// A stored run is the run: its events, its scenario and its verdicts, one run
// after the other in the same file.
func TestLogRoundTrip(t *testing.T) {
	var log bytes.Buffer
	var results []*harness.Result
	for _, name := range []string{"one-of-two-refuses", "post-timeout-not-retried", "http-500-not-counted"} {
		f := shipped(t, name)
		for _, s := range f.Scenarios {
			r := run(t, harness.Runner{Seed: 9, SeedSet: true}, s, harness.Sim)
			if err := harness.WriteLog(&log, r, f); err != nil {
				t.Fatal(err)
			}
			results = append(results, r)
		}
	}
	stored, err := harness.ReadLog(&log)
	if err != nil || len(stored) != len(results) {
		t.Fatalf("%d runs, want %d: %v", len(stored), len(results), err)
	}
	for i, s := range stored {
		r := results[i]
		if s.Run.Title() != r.Scenario.Title() || s.Engine != string(r.Engine) || s.Seed != 9 || s.Speed != r.Speed {
			t.Errorf("%+v", s.Header)
		}
		// Logs have microseconds.
		for j := range r.Events {
			r.Events[j].At = r.Events[j].At.Truncate(1000)
		}
		if diff := cmp.Diff(r.Events, s.Events); diff != "" {
			t.Errorf("%s: -run +stored:\n%s", s.Run.Title(), diff)
		}
		for j, v := range harness.Judge(s.Run, s.Events, s.End(), s.Run.Expect) {
			if !v.OK || v.Check != r.Verdicts[j].Check {
				t.Errorf("%s: %+v", s.Run.Title(), v)
			}
		}
	}
}

// A scenario that keeps its nginx configuration in a file of its own is read
// from beside it.
func TestLogFindsTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.yaml")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("app.conf", "server { location / { proxy_pass http://app1:8080; } }")
	write("x.yaml", "name: x\nproxy: {nginx: {file: app.conf}}\ntraffic: {users: {request: GET /, times: 1}}\nexpect:\n  - status: {of: users, is: 200}\n")
	f, err := harness.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if err := harness.WriteLog(&log, run(t, harness.Runner{}, f.Scenarios[0], harness.Sim), f); err != nil {
		t.Fatal(err)
	}
	text := log.String()
	if stored, err := harness.ReadLog(strings.NewReader(text)); err != nil || stored[0].Run.Nginx.Backends[0] != "app1:8080" {
		t.Errorf("%v", err)
	}
	if err := os.Remove(filepath.Join(dir, "app.conf")); err != nil {
		t.Fatal(err)
	}
	if _, err := harness.ReadLog(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "app.conf: no such file") {
		t.Errorf("%v", err)
	}
}

func TestBadLogs(t *testing.T) {
	f := parse(t, "x.yaml", refusing)
	var log bytes.Buffer
	if err := harness.WriteLog(&log, run(t, harness.Runner{}, f.Scenarios[0], harness.Sim), f); err != nil {
		t.Fatal(err)
	}
	good := log.String()
	lines := strings.Count(good, "\n")
	for name, c := range map[string]struct{ log, want string }{
		"empty":              {"", "the log is empty"},
		"something else":     {"name: x\n", "line 1: not a log of nolive"},
		"cut in a line":      {good[:len(good)-10], "line "},
		"cut between lines":  {good[:strings.LastIndex(good[:len(good)-1], "\n")+1], "the log breaks off: it has "},
		"another scenario":   {strings.Replace(good, `"scenario":"refusing"`, `"scenario":"other"`, 1), `its scenario has no variant`},
		"a broken scenario":  {strings.Replace(good, `traffic:`, `trafic:`, 1), "its scenario: x.yaml:9:1: unknown key"},
		"a broken later run": {good + strings.Replace(good, `"kind":"sent"`, `"kind":"zent"`, 1), "run that begins at line " + strconv.Itoa(lines+1) + ": line 3: "},
		"an empty line":      {good + "\n", "line " + strconv.Itoa(lines+1) + ": "},
		"a newer format":     {strings.Replace(good, `{"nolive":1,`, `{"nolive":2,`, 1), "this program reads format 1"},
	} {
		_, err := harness.ReadLog(strings.NewReader(c.log))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzReadLog(f *testing.F) {
	file, problems := scenario.Parse("x.yaml", []byte(refusing), nil)
	if len(problems) > 0 {
		f.Fatal(problems)
	}
	var log bytes.Buffer
	if err := harness.WriteLog(&log, run(f, harness.Runner{}, file.Scenarios[0], harness.Sim), file); err != nil {
		f.Fatal(err)
	}
	f.Add(log.Bytes())
	f.Add([]byte("{\"nolive\":1}\n{\"nolive\":1}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		stored, err := harness.ReadLog(bytes.NewReader(text))
		if err != nil {
			return
		}
		// Whatever can be read can be replayed, judged and compared.
		for _, s := range stored {
			harness.Replay(s.Run, s.Events, 0)
			harness.Judge(s.Run, s.Events, s.End(), s.Run.Expect)
			r := &harness.Result{Events: s.Events}
			if d := harness.Compare(r, r); len(d) > 0 {
				t.Errorf("a run differs from itself: %v", d)
			}
		}
	})
}
