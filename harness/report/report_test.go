package report_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/live"
	"github.com/nolive/nolive/harness/report"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

var update = flag.Bool("update", false, "rewrite the golden files and the picture in the README")

// parsed are the scenarios of a text.
func parsed(t *testing.T, name string, src []byte) []*scenario.Scenario {
	t.Helper()
	f, problems := scenario.Parse(name, src, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return f.Scenarios
}

// simulated is what a scenario gives on the simulator. The wall time, which no
// two runs share, is always the same.
func simulated(t *testing.T, s *scenario.Scenario) *harness.Result {
	t.Helper()
	r, err := harness.Run(context.Background(), s, harness.Sim)
	if err != nil {
		t.Fatal(err)
	}
	r.Wall = 12 * time.Millisecond
	return r
}

// shipped is a shipped scenario on the simulator; variant "" is the base.
func shipped(t *testing.T, name, variant string) *harness.Result {
	t.Helper()
	src, _ := scenarios.Source(name)
	for _, s := range parsed(t, name+".yaml", src) {
		if s.Variant == variant {
			return simulated(t, s)
		}
	}
	t.Fatalf("no variant %s of %s", variant, name)
	return nil
}

// failing has one expectation of each sort of truth.
const failing = `name: two-of-three
proxy:
  nginx: |
    upstream app { server app1:8080; server app2:8080; server app3:8080; }
    server { location / { proxy_pass http://app; } }
backends:
  app1:8080:
    - do: refuse
traffic:
  users: {request: GET /, times: 5, pause: 1s}
expect:
  - status: {of: users, is: 200, count: 4}
  - fan_out: {of: users, each: 1}
  - marked: {backend: "*", times: 1}
  - marked: {backend: app1:8080, times: 1}
`

// onSockets dresses a result up as one of a run on sockets.
func onSockets(r *harness.Result) *harness.Result {
	r.Engine, r.Version, r.Speed = harness.Nginx, "nginx/1.22.1", 30
	r.Send = clock.Jitter{Count: 5, P50: time.Millisecond, P99: 20 * time.Millisecond, Max: 60 * time.Millisecond}
	r.Wait = clock.Jitter{Count: 9, P50: time.Millisecond, P99: 7 * time.Millisecond, Max: 7 * time.Millisecond}
	r.Stall = clock.Jitter{Count: 700, P50: time.Millisecond, P99: 8 * time.Millisecond, Max: 45 * time.Millisecond}
	r.ClockError = 16 * time.Millisecond
	r.Abandoned = []string{"at speed 60 sends were up to 2s late, the scenario tolerates 500ms: run slower"}
	return r
}

// plain renders without colours, as into a file.
func plain(f func(w *colorprofile.Writer)) string {
	var b bytes.Buffer
	f(&colorprofile.Writer{Forward: &b, Profile: colorprofile.NoTTY})
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got, or run with -update:\n%s", diff)
	}
}

func TestText(t *testing.T) {
	invalid := onSockets(simulated(t, parsed(t, "x.yaml", []byte(failing))[0]))
	invalid.Invalid = "sends were up to 600ms late, the scenario tolerates 500ms: run slower"
	interrupted := onSockets(simulated(t, parsed(t, "x.yaml", []byte(failing))[0]))
	interrupted.Invalid, interrupted.Abandoned = live.Interrupted, nil
	for name, r := range map[string]*harness.Result{
		"pass":        shipped(t, "frozen-backend-curl-loop", ""),
		"fail":        simulated(t, parsed(t, "x.yaml", []byte(failing))[0]),
		"sockets":     onSockets(shipped(t, "one-of-two-refuses", "")),
		"invalid":     invalid,
		"interrupted": interrupted,
		"moment":      shipped(t, "http-500-not-counted", "listed"),
		"turned-away": shipped(t, "single-server-never-marked", "a-second-server"),
		"an-hour":     anHour(t),
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, name, plain(func(w *colorprofile.Writer) { report.Text(w, r, 0) }))
		})
	}
}

// anHour is a long run whose pool is out now and then.
func anHour(t *testing.T) *harness.Result {
	src, err := os.ReadFile("testdata/an-hour.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return simulated(t, parsed(t, "an-hour.yaml", src)[0])
}

func entries(t *testing.T) []report.Entry {
	ok := shipped(t, "one-of-two-refuses", "")
	failed := simulated(t, parsed(t, "x.yaml", []byte(failing))[0])
	invalid := onSockets(shipped(t, "one-of-two-refuses", ""))
	invalid.Invalid = "sends were too late"
	return []report.Entry{
		{Scenario: "one-of-two-refuses", Engine: harness.Sim, Result: ok},
		{Scenario: "two-of-three", Engine: harness.Sim, Result: failed},
		{Scenario: "one-of-two-refuses", Engine: harness.Nginx, Result: invalid},
		{Scenario: "slow-report", Variant: "fixed", Engine: harness.Nginx, Err: errors.New("nginx not found on PATH\nor elsewhere")},
		{Scenario: "slow-report", Engine: harness.Nginx, Err: report.ErrNotBegun},
	}
}

func TestTotal(t *testing.T) {
	all := entries(t)
	golden(t, "total", plain(func(w *colorprofile.Writer) {
		for _, e := range all {
			if e.Result == nil {
				report.NoRun(w, e)
			}
		}
		for _, some := range [][]report.Entry{all, all[:1], {all[0], all[0]}, all[1:2], all[:2], all[1:3]} {
			report.Total(w, some)
		}
	}))
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 7 * time.Microsecond: "7µs", 358123 * time.Nanosecond: "358µs", 20*time.Millisecond + 40*time.Microsecond: "20ms",
		1234 * time.Millisecond: "1.23s", 59876 * time.Millisecond: "59.9s", time.Minute: "1m", 90 * time.Second: "1m30s",
		time.Hour: "1h", time.Hour + time.Second: "1h0m1s", 2*time.Hour + 30*time.Minute: "2h30m", -90 * time.Second: "-1m30s",
	} {
		if got := report.Duration(d); got != want {
			t.Errorf("%v: %s, want %s", int64(d), got, want)
		}
	}
}
