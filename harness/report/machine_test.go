package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/report"
)

type object = map[string]any

// document is what JSON writes for entries.
func document(t *testing.T, entries []report.Entry) object {
	t.Helper()
	var b bytes.Buffer
	if err := report.JSON(&b, entries); err != nil {
		t.Fatal(err)
	}
	var doc object
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func keys(o any) string { return strings.Join(slices.Sorted(maps.Keys(o.(object))), " ") }

// What dashboards and scripts rely on.
func TestJSONFields(t *testing.T) {
	r := onSockets(shipped(t, "frozen-backend-curl-loop", ""))
	doc := document(t, []report.Entry{{Scenario: "frozen-backend-curl-loop", Engine: harness.Nginx, Result: r}})
	run := doc["runs"].([]any)[0].(object)
	for name, c := range map[string]struct{ got, want any }{
		"document": {keys(doc), "ok runs"},
		"run": {keys(run), "abandoned backends end engine jitter mismatches model ok scenario seed speed traffic valid " +
			"verdicts version wall"},
		"speed": {run["speed"], 30.}, "seed": {run["seed"], 1.}, "valid": {run["valid"], true}, "ok": {run["ok"], true},
		"end": {run["end"], 415.018}, "wall": {run["wall"], 0.012}, "version": {run["version"], "nginx/1.22.1"},
		"jitter": {run["jitter"], object{
			"sends":       object{"count": 5., "p50": 0.001, "p99": 0.02, "max": 0.06},
			"waits":       object{"count": 9., "p50": 0.001, "p99": 0.007, "max": 0.007},
			"stalls":      object{"count": 700., "p50": 0.001, "p99": 0.008, "max": 0.045},
			"clock_error": 0.016,
		}},
		"verdict": {run["verdicts"].([]any)[0], object{
			"check": "status: {of: curl, is: 200, count: 36}", "kind": "status", "want": "36", "got": "36 of 36", "ok": true,
		}},
		"traffic": {keys(run["traffic"].([]any)[0]), "attempts fan_out got latency no_live requests statuses traffic"},
		"counts":  {run["traffic"].([]any)[0].(object)["statuses"], object{"200": 36.}},
		"backend": {keys(run["backends"].([]any)[0]), "attempts backend got marks out out_seconds outcomes reused"},
	} {
		if name == "end" {
			// Requests take a moment each, which may become another one.
			if end := c.got.(float64); end < 415 || end > 416 {
				t.Errorf("end: %v", end)
			}
			continue
		}
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	frozen := run["backends"].([]any)[0].(object)
	if frozen["backend"] != "10.10.10.215:8000" || frozen["attempts"] != 4. || frozen["marks"] != 4. {
		t.Errorf("the frozen backend: %v", frozen)
	}
	var from, to []float64
	for _, i := range frozen["out"].([]any) {
		from = append(from, i.(object)["from"].(float64))
		to = append(to, i.(object)["to"].(float64))
	}
	// A minute of waiting, then 50 s out, in seconds of scenario time.
	if want := []float64{60, 170, 280, 390}; !near(from, want, 1) || !near(to[:3], []float64{110, 220, 330}, 1) {
		t.Errorf("out from %v to %v", from, to)
	}
	if last := frozen["out"].([]any)[3].(object); last["open"] != true {
		t.Errorf("the last interval isn't open: %v", last)
	}
}

func near(got, want []float64, by float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return a >= b-by && a <= b+by })
}

func TestJSONTellsWhatDidNotHold(t *testing.T) {
	doc := document(t, entries(t))
	if doc["ok"] != false {
		t.Error("ok")
	}
	var got []string
	for _, r := range doc["runs"].([]any) {
		r := r.(object)
		line := r["scenario"].(string)
		for _, k := range []string{"variant", "invalid", "error"} {
			if v, ok := r[k]; ok {
				line += " " + k + "=" + v.(string)
			}
		}
		if r["ok"] == true {
			line += " ok"
		}
		if r["valid"] == true {
			line += " valid"
		}
		// An empty list is a list, so that no reader stumbles over a null.
		for _, k := range []string{"verdicts", "traffic", "backends"} {
			if _, ok := r[k].([]any); !ok {
				t.Errorf("%s: %s is %v", line, k, r[k])
			}
		}
		got = append(got, line)
	}
	want := []string{
		"one-of-two-refuses ok valid", "two-of-three valid", "one-of-two-refuses invalid=sends were too late",
		"slow-report variant=fixed error=nginx not found on PATH\nor elsewhere",
		"slow-report error=interrupted before it began",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if empty := document(t, nil); len(empty["runs"].([]any)) != 0 {
		t.Error("runs of nothing")
	}
}

// What proves a failed expectation to a person proves it to a program: the same
// events, written as in events.jsonl.
func TestJSONHasTheEvidence(t *testing.T) {
	r := entries(t)[1].Result
	doc := document(t, []report.Entry{{Scenario: "two-of-three", Engine: harness.Sim, Result: r}})
	verdicts := doc["runs"].([]any)[0].(object)["verdicts"].([]any)
	events := 0
	for i, v := range r.Verdicts {
		var got []string
		if list, ok := verdicts[i].(object)["evidence"].([]any); ok {
			for _, e := range list {
				line, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(line))
			}
		}
		var want []string
		for _, e := range v.Evidence {
			var same any
			if err := json.Unmarshal(event.AppendJSON(nil, e), &same); err != nil {
				t.Fatal(err)
			}
			line, _ := json.Marshal(same)
			want = append(want, string(line))
			events++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", v.Check, diff)
		}
	}
	if events == 0 {
		t.Error("nothing failed with evidence")
	}
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := report.JUnit(&b, entries(t)); err != nil {
		t.Fatal(err)
	}
	type result struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var doc struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string  `xml:"name,attr"`
				Failure *result `xml:"failure"`
				Error   *result `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Tests != 6+4+3 || doc.Failures != 3 || doc.Errors != 3 || len(doc.Suites) != 5 {
		t.Errorf("%d tests, %d failures, %d errors, %d suites", doc.Tests, doc.Failures, doc.Errors, len(doc.Suites))
	}
	failed := doc.Suites[1]
	if failed.Name != "two-of-three on sim" || failed.Cases[0].Name != "status: {of: users, is: 200, count: 4}" ||
		failed.Cases[0].Failure == nil || failed.Cases[0].Failure.Message != "want 4, got 5 of 5" ||
		!strings.Contains(failed.Cases[0].Failure.Text, "4s response users/5 passed 200") {
		t.Errorf("%+v", failed)
	}
	for i, want := range map[int]string{2: "sends were too late", 3: "nginx not found on PATH\nor elsewhere", 4: "interrupted before it began"} {
		if c := doc.Suites[i].Cases; len(c) != 1 || c[0].Error == nil || c[0].Error.Message != want || c[0].Failure != nil {
			t.Errorf("%s: %+v", doc.Suites[i].Name, c)
		}
	}
}
