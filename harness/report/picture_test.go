package report_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/report"
)

// curlLoop is the picture of the curl loop as a terminal of usual width shows it.
func curlLoop(t *testing.T) string {
	r := shipped(t, "frozen-backend-curl-loop", "")
	return plain(func(w *colorprofile.Writer) { report.WriteLanes(w, r.Lanes, 100) })
}

// The picture that the README shows is the one that the terminal shows; run with
// -update to renew it there.
func TestCurlLoop(t *testing.T) {
	got := curlLoop(t)
	golden(t, "curl-loop", got)

	const file = "../../README.md"
	const begin, end = "<!-- picture: frozen-backend-curl-loop on sim -->\n```\n", "```\n<!-- end of picture -->\n"
	readme, err := os.ReadFile(file)
	before, rest, ok := strings.Cut(string(readme), begin)
	shown, after, closed := strings.Cut(rest, end)
	if err != nil || !ok || !closed {
		t.Fatalf("README.md has no place for the picture: want the lines %q ... %q (%v)", begin, end, err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+got+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != got {
		t.Errorf("README.md shows another picture than the terminal; run go test ./harness/report -update\n%s", got)
	}
}

// Each time-out is where the story says: after a minute of waiting, before a
// stretch out of rotation of nearly a minute.
func TestCurlLoopIsReadable(t *testing.T) {
	lanes := strings.Split(curlLoop(t), "\n")
	frozen := strings.TrimPrefix(strings.TrimSpace(lanes[0]), "10.10.10.215:8000  ")
	for cycle := range 4 {
		waiting, rest, ok := strings.Cut(frozen, "X")
		if n := strings.Count(waiting, "▒"); !ok || n < 8 || n > 11 || strings.Trim(waiting, "▒") != "" {
			t.Fatalf("cycle %d waits %q", cycle, waiting)
		}
		out := rest[:len(rest)-len(strings.TrimLeft(rest, "─"))]
		if n := strings.Count(out, "─"); cycle < 3 && (n < 7 || n > 9) || cycle == 3 && rest != out {
			t.Fatalf("cycle %d is out %q", cycle, out)
		}
		frozen = strings.TrimLeft(rest, "─")
	}
	for _, lane := range lanes[1:3] {
		if strings.ContainsAny(lane, "X▒─") || strings.Count(lane, "•") < 10 {
			t.Errorf("a healthy lane: %s", lane)
		}
	}
}

// On a terminal waiting is yellow and what came of it red.
func TestColours(t *testing.T) {
	r := shipped(t, "frozen-backend-curl-loop", "")
	var b bytes.Buffer
	report.Text(&colorprofile.Writer{Forward: &b, Profile: colorprofile.ANSI}, r, 100)
	for what, want := range map[string]string{
		"waiting": "\x1b[33m▒▒▒▒", "time-out": "\x1b[31mX\x1b[m", "out": "\x1b[35m───", "answered": "\x1b[32m•", "verdict": "\x1b[32mok",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: %q isn't there", what, want)
		}
	}
	plainly := plain(func(w *colorprofile.Writer) { report.Text(w, r, 100) })
	if strings.ContainsRune(plainly, '\x1b') {
		t.Error("escape sequences in a file")
	}
}

// No line is longer than the terminal, but for an assertion that is longer itself.
func TestWidth(t *testing.T) {
	r := anHour(t)
	for _, width := range []int{50, 80, 100, 132, 250} {
		text := plain(func(w *colorprofile.Writer) { report.WriteLanes(w, r.Lanes, width) })
		widest := 0
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			widest = max(widest, lipgloss.Width(line))
			if lipgloss.Width(line) > width {
				t.Errorf("%d columns, %d wanted: %s", lipgloss.Width(line), width, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("a space at the end of %q", line)
			}
		}
		if widest < width/2-10 {
			t.Errorf("%d columns of %d are used", widest, width)
		}
	}
}

// A minute is judged by what filled most of it, a moment by what happened.
func TestLooks(t *testing.T) {
	const m = time.Minute
	at := func(l *analysis.Lanes, from, to time.Duration, o event.Outcome) {
		l.Exchange(&analysis.Exchange{Sent: from, Ended: to, Outcome: event.Passed, Attempts: []analysis.Attempt{
			{Peer: "a", Upstream: "u", Started: from, Ended: to, Outcome: o}}})
	}
	many := func(l *analysis.Lanes, n int, o event.Outcome) {
		for i := range n {
			at(l, time.Duration(i)*m/time.Duration(n), time.Duration(i)*m/time.Duration(n), o)
		}
	}
	errors := func(l *analysis.Lanes, n int) {
		for i := range n {
			l.Exchange(&analysis.Exchange{Sent: time.Duration(i), Ended: time.Duration(i), Outcome: event.Passed, Status: 502, Attempts: []analysis.Attempt{
				{Peer: "a", Upstream: "u", Outcome: event.Passed, Status: 502}}})
		}
	}
	for name, c := range map[string]struct {
		draw func(l *analysis.Lanes)
		want string
	}{
		"idle":       {func(l *analysis.Lanes) {}, "·"},
		"answered":   {func(l *analysis.Lanes) { many(l, 70, event.Passed) }, "•"},
		"one failed": {func(l *analysis.Lanes) { at(l, 0, 0, event.Reset) }, "X"},
		"one failed, then out": {func(l *analysis.Lanes) {
			at(l, 0, 0, event.Reset)
			l.Stretch(analysis.Stretch{Peer: "a", From: 1, To: m})
		}, "X"},
		"some of many failed":            {func(l *analysis.Lanes) { many(l, 70, event.Passed); many(l, 10, event.Reset) }, "x"},
		"most of many failed":            {func(l *analysis.Lanes) { many(l, 10, event.Passed); many(l, 70, event.Reset) }, "X"},
		"answers, and one is waited for": {func(l *analysis.Lanes) { many(l, 70, event.Passed); at(l, 0, 50*time.Second, event.Aborted) }, "•"},
		"answers, and one timed out":     {func(l *analysis.Lanes) { many(l, 70, event.Passed); at(l, 0, 50*time.Second, event.ReadTimeout) }, "x"},
		"slow answers one after the other": {func(l *analysis.Lanes) {
			at(l, 0, 20*time.Second, event.Passed)
			at(l, 20*time.Second, 40*time.Second, event.Passed)
		}, "•"},
		"nothing answered":                   {func(l *analysis.Lanes) { at(l, 0, 50*time.Second, event.Aborted) }, "▒"},
		"answered 502":                       {func(l *analysis.Lanes) { errors(l, 70) }, "5"},
		"one answered 502":                   {func(l *analysis.Lanes) { errors(l, 1) }, "5"},
		"some of many answered 502":          {func(l *analysis.Lanes) { many(l, 70, event.Passed); errors(l, 10) }, "⁵"},
		"some answered 502, more were reset": {func(l *analysis.Lanes) { many(l, 70, event.Passed); errors(l, 3); many(l, 10, event.Reset) }, "x"},
		"waiting a little":                   {func(l *analysis.Lanes) { many(l, 70, event.Passed); at(l, 0, 20*time.Second, event.Passed) }, "•"},
		"out most of the time": {func(l *analysis.Lanes) {
			many(l, 70, event.Passed)
			many(l, 60, event.ReadTimeout)
			l.Stretch(analysis.Stretch{Peer: "a", From: 0, To: 40 * time.Second})
		}, "─"},
		"out a little": {func(l *analysis.Lanes) {
			many(l, 70, event.Passed)
			l.Stretch(analysis.Stretch{Peer: "a", From: 0, To: 20 * time.Second})
		}, "•"},
		"out a little, nobody came": {func(l *analysis.Lanes) { l.Stretch(analysis.Stretch{Peer: "a", From: 0, To: 20 * time.Second}) }, "─"},
	} {
		l := analysis.NewLanes([]string{"a"})
		// An hour after which nothing happens makes the columns a minute long.
		l.Exchange(&analysis.Exchange{Sent: time.Hour, Ended: time.Hour})
		c.draw(l)
		text := plain(func(w *colorprofile.Writer) { report.WriteLanes(w, l, 80) })
		if !strings.HasPrefix(text, "  a  "+c.want+"·") || !strings.Contains(text, "one column is 1m\n") {
			t.Errorf("%s: want %s, got\n%s", name, c.want, text)
		}
	}
}

// Where the proxy and a backend disagree, the report says so.
func TestMismatches(t *testing.T) {
	r := &harness.Result{Scenario: shipped(t, "one-of-two-refuses", "").Scenario, Engine: harness.Sim,
		Summary: analysis.NewSummary(), Lanes: analysis.NewLanes([]string{"app1:8080"})}
	for i := range 14 {
		r.Summary.Exchange(&analysis.Exchange{Request: event.Request{Traffic: "users", N: i + 1}, Outcome: event.Passed, Status: 200,
			Attempts: []analysis.Attempt{{Peer: "app1:8080", Outcome: event.Passed}}, Got: []string{"app1:8080", "app1:8080"}})
	}
	text := plain(func(w *colorprofile.Writer) { report.Text(w, r, 0) })
	for _, want := range []string{
		"  14 requests counted differently by the proxy and by a backend:\n",
		"       users/1 on app1:8080: 1 attempt by the proxy (1 answered), read twice by the backend\n",
		"       and 2 more\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	doc := document(t, []report.Entry{{Scenario: "x", Engine: harness.Sim, Result: r}})
	run := doc["runs"].([]any)[0].(object)
	if first := run["mismatch"].([]any)[0].(object); run["mismatches"] != 14. || first["request"] != "users/1" || first["got"] != 2. {
		t.Errorf("%v", run)
	}
}
