package census_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/census"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/upstream"
)

// The page that was made with the real nginx is what the simulator says too, but
// for times and for what a race decides; so it is complete and up to date.
func TestThePageIsWhatTheSimulatorSays(t *testing.T) {
	page, err := os.ReadFile("../../scenarios/CENSUS.md")
	if err != nil {
		t.Fatal(err)
	}
	questions := census.Questions([]string{"GET", "POST"}, []int{1, 2, 3})
	f, problems := scenario.Parse("census.yaml", []byte(census.Scenario(questions)), nil)
	if problems != nil {
		t.Fatal(problems)
	}
	judge, err := upstream.ParseVersion("1.22") // of the nginx that made the page
	if err != nil {
		t.Fatal(err)
	}
	r, err := harness.Runner{Version: judge}.Run(t.Context(), f.Scenarios[0], harness.Sim)
	if err != nil {
		t.Fatal(err)
	}
	var own bytes.Buffer
	census.Table(&own, questions, census.Answers(r, questions))
	seconds := regexp.MustCompile(`[0-9]+\.[0-9] s`)
	_, table, _ := strings.Cut(string(page), "\n| the first")
	want := strings.Split("| the first"+table, "\n")
	got := strings.Split(own.String(), "\n")
	if len(want) != len(got) {
		t.Errorf("the page has %d lines, want %d: run make census", len(want), len(got))
	}
	for i := range min(len(want), len(got)) {
		a, b := seconds.ReplaceAllString(want[i], "T"), seconds.ReplaceAllString(got[i], "T")
		if a != b && !strings.Contains(a, "` * |") {
			t.Errorf("the page says\n%s\nthe simulator\n%s", want[i], got[i])
		}
	}
}

func TestAnswers(t *testing.T) {
	for want, a := range map[string]census.Answer{
		"closed, 1 attempt, 0.0 s, nothing":         {Attempts: 1, Body: "nothing"},
		"200, 2 attempts, marked, 1.0 s, whole":     {Status: 200, Attempts: 2, Marked: true, Took: 1e9, Body: "whole"},
		"the client left, 1 attempt, 0.5 s, no end": {Attempts: 1, Took: 5e8, Body: "left"},
		"502, 0 attempts, 0.1 s, the proxy's page":  {Status: 502, Took: 1e8, Body: "the proxy's page"},
	} {
		if got := a.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	a := census.Answer{Status: 200, Took: 1e9}
	b := a
	if b.Took = 2e9; !a.Same(b, 1e9) || a.Same(b, 9e8) {
		t.Error("times")
	}
	if b.Marked = true; a.Same(b, 1e9) {
		t.Error("marks")
	}
}
