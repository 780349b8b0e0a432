package match_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/match"
)

// run is a Judged made of events.
type run []event.Event

func (r run) Judge(c check.Check) check.Verdict {
	judge := c.Start()
	a := analysis.New(judge)
	for _, e := range r {
		a.Emit(e)
	}
	a.Close(time.Minute)
	return judge.Verdict(check.Run{End: time.Minute, Backends: []string{"app1"}})
}

var id = event.Request{Traffic: "curl", N: 1}

var once = run{
	{At: 1 * time.Second, Kind: event.RequestSent, Request: id},
	{At: 1 * time.Second, Kind: event.AttemptStarted, Request: id, Try: 1, Peer: "app1", Upstream: "u"},
	{At: 2 * time.Second, Kind: event.AttemptEnded, Request: id, Try: 1, Peer: "app1", Upstream: "u", Outcome: event.Reset, Status: 502},
	{At: 2 * time.Second, Kind: event.PeerMarked, Request: id, Try: 1, Peer: "app1", Upstream: "u"},
	{At: 2 * time.Second, Kind: event.ProxyAnswered, Request: id, Status: 502},
	{At: 2 * time.Second, Kind: event.ResponseEnded, Request: id, Outcome: event.Passed, Status: 502},
}

func TestHold(t *testing.T) {
	for _, c := range []struct {
		name  string
		check check.Check
		run   any
		ok    bool
		fails string // text of the failure, or of the opposite's
	}{
		{"holds", check.Marked{Backend: "app1", Times: check.Exactly(1)}, once, true, `Expected not to hold:
    marked: {backend: app1, times: 1}
but it does
want  1
got   1 (at 2.0s)`},
		{"fails", &check.Status{Of: "curl", Is: "200"}, once, false, `Expected to hold:
    status: {of: curl, is: 200}
want  all
got   0 of 1, and 1 x 502 (reset)
evidence
    {"at":2,"kind":"response","request":"curl/1","outcome":"passed","status":502,"detail":"after app1 reset"}`},
		{"nothing to judge", check.Status{Of: "curl", Is: "200"}, run{}, false, `Expected to hold:
    status: {of: curl, is: 200}
want  all
got   no request of curl was seen`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := match.Hold(c.check)
			ok, err := m.Match(c.run)
			if err != nil || ok != c.ok {
				t.Fatalf("%v, %v", ok, err)
			}
			text := m.FailureMessage(c.run)
			if ok {
				text = m.NegatedFailureMessage(c.run)
			}
			if diff := cmp.Diff(c.fails, strings.TrimSpace(text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// invalid is a run that proves nothing.
type invalid struct{ run }

func (invalid) Unproven() string { return "sends were too late" }

// What makes no sense is an error, so that NotTo can't succeed either.
func TestHoldRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		check check.Check
		run   any
		want  string
	}{
		{"no check", nil, once, "there is no check"},
		{"no traffic", check.Status{Is: "200"}, once, "status: {is: 200}: of: is missing: write of: curl"},
		{"no result", check.Marked{Backend: "app1"}, nil, "there is no result"},
		{"an invalid run", check.Marked{Backend: "app1"}, invalid{once}, "sends were too late"},
		{"something else", check.Marked{Backend: "app1"}, 7, "expected actual of type <match.Judged>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ok, err := match.Hold(c.check).Match(c.run)
			if ok || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v", ok, err)
			}
		})
	}
}
