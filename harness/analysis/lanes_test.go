package analysis

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/nolive/nolive/harness/event"
)

const s = time.Second

func asked(from time.Duration, attempts ...Attempt) *Exchange {
	return &Exchange{Sent: from, Ended: attempts[len(attempts)-1].Ended, Outcome: event.Passed, Attempts: attempts}
}

func TestLanesTellShares(t *testing.T) {
	l := NewLanes([]string{"a", "b"})
	// a: a time-out from 0 to 60 s, then out until 110 s; b answers at 60 s and 90 s.
	l.Exchange(asked(0,
		Attempt{Peer: "a", Upstream: "u", Started: 0, Ended: 60 * s, Outcome: event.ReadTimeout},
		Attempt{Peer: "b", Upstream: "u", Started: 60 * s, Ended: 60*s + 5*time.Millisecond, Outcome: event.Passed}))
	l.Stretch(Stretch{Peer: "a", Upstream: "u", From: 60 * s, To: 110 * s})
	l.Exchange(asked(90*s, Attempt{Peer: "b", Upstream: "u", Started: 90 * s, Ended: 91 * s, Outcome: event.Listed}))
	// The run's end cuts the last attempt off.
	l.Exchange(&Exchange{Sent: 110 * s, Ended: 130 * s, Attempts: []Attempt{{Peer: "a", Upstream: "u", Started: 110 * s}}})

	got := l.Fit(7)
	want := Picture{Column: 20 * s, Lanes: []Lane{
		{"a", []Cell{{Busy: 1}, {Busy: 1}, {Busy: 1}, {Failed: 1, Out: 1}, {Out: 1}, {Busy: .5, Out: .5}, {Busy: 1}}},
		{"b", []Cell{{}, {}, {}, {Answered: 1}, {Failed: 1}, {}, {}}},
	}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-5)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLanesTellHowAttemptsEnded(t *testing.T) {
	for o := event.Passed; o <= event.Listed; o++ {
		l := NewLanes([]string{"a"})
		l.Exchange(asked(0, Attempt{Peer: "a", Upstream: "u", Started: 0, Ended: 10 * s, Outcome: o}))
		want := Cell{Failed: 1, Busy: 1}
		switch o {
		case event.Passed, event.Relayed:
			want = Cell{Answered: 1, Busy: 1}
		case event.Aborted:
			want = Cell{Busy: 1}
		}
		if diff := cmp.Diff(want, l.Fit(1).Lanes[0].Cells[0], cmpopts.EquateApprox(0, 1e-5)); diff != "" {
			t.Errorf("%v: -want +got:\n%s", o, diff)
		}
	}
}

// A backend's own 5xx is an answer, and told apart.
func TestLanesTellServerErrors(t *testing.T) {
	for status, want := range map[int]Cell{404: {Answered: 1}, 499: {Answered: 1}, 500: {Answered: 1, Errors: 1}, 503: {Answered: 1, Errors: 1}} {
		l := NewLanes([]string{"a"})
		l.Exchange(asked(0, Attempt{Peer: "a", Upstream: "u", Outcome: event.Passed, Status: status}))
		if got := l.Fit(1).Lanes[0].Cells[0]; got != want {
			t.Errorf("%d: %+v", status, got)
		}
	}
}

// Quick answers don't make a server look busy, however many follow each other;
// one that takes as long as a column does.
func TestQuickAnswersAreNotWaitedFor(t *testing.T) {
	l := NewLanes([]string{"quick", "slow"})
	for at := time.Duration(0); at < time.Hour; at += 10 * time.Millisecond {
		l.Exchange(asked(at, Attempt{Peer: "quick", Upstream: "u", Started: at, Ended: at + 20*time.Millisecond, Outcome: event.Passed}))
	}
	for at := time.Duration(0); at < time.Hour; at += 50 * s {
		l.Exchange(asked(at, Attempt{Peer: "slow", Upstream: "u", Started: at, Ended: at + 45*s, Outcome: event.Passed}))
	}
	p := l.Fit(70)
	if p.Column != time.Minute {
		t.Fatalf("a column is %v", p.Column)
	}
	for i := range 60 {
		if quick := p.Lanes[0].Cells[i]; quick.Busy > 0 || quick.Answered < 5990 {
			t.Errorf("minute %d of the quick one: %+v", i, quick)
		}
		if slow := p.Lanes[1].Cells[i]; slow.Busy < 0.8 {
			t.Errorf("minute %d of the slow one: %+v", i, slow)
		}
	}
}

func TestDoorsTellWhoWasTurnedAway(t *testing.T) {
	l := NewLanes([]string{"a"})
	for i := range 40 {
		at := time.Duration(i) * s
		switch {
		case i >= 20 && i < 30 && i%2 == 0:
			l.Exchange(&Exchange{Sent: at, Ended: at, NoLive: true, NoLiveAt: at, NoLiveIn: "full"})
		case i >= 20 && i < 30:
			// A time-out, and then nobody was left: turned away at its end.
			l.Exchange(&Exchange{Sent: at - 5*s, Ended: at, NoLive: true, NoLiveAt: at, NoLiveIn: "full", Attempts: []Attempt{
				{Peer: "a", Upstream: "full", Started: at - 5*s, Ended: at, Outcome: event.ReadTimeout}}})
		default:
			l.Exchange(asked(at, Attempt{Peer: "a", Upstream: "full", Started: at, Ended: at, Outcome: event.Passed}))
		}
		l.Exchange(asked(at, Attempt{Peer: "a", Upstream: "fine", Started: at, Ended: at, Outcome: event.Passed}))
	}
	l.Exchange(&Exchange{Sent: 39 * s, Ended: 39 * s, NoLive: true, NoLiveAt: 39 * s, NoLiveIn: "full"})
	got := l.Fit(4).Doors
	want := []Door{{Upstream: "full", Turned: []float64{0, 0, 1, 1. / 11}, Requests: 11}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What is drawn first in short slices and put together later adds up to what
// happened, in any order, for runs from a moment to a month.
func TestLanesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]time.Duration{time.Millisecond, s, time.Minute, time.Hour, 24 * time.Hour}).Draw(t, "scale")
		l := NewLanes(nil)
		answered, failed, turned, out, end := 0, 0, 0, 0., time.Duration(0)
		after := time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			from := time.Duration(rapid.Int64Range(0, int64(100*scale)).Draw(t, "from"))
			to := from + time.Duration(rapid.Int64Range(0, int64(scale)).Draw(t, "long"))
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				l.Exchange(asked(from, Attempt{Peer: "a", Started: from, Ended: to, Outcome: event.Passed}))
				answered++
			case 1:
				l.Exchange(asked(from, Attempt{Peer: "a", Started: from, Ended: to, Outcome: event.Reset}))
				failed++
			case 2:
				l.Exchange(&Exchange{Sent: from, Ended: to, NoLive: true, NoLiveAt: to, NoLiveIn: "u"})
				turned++
			case 3: // a peer's stretches don't overlap
				from, to = after, after+(to-from)
				l.Stretch(Stretch{Peer: "a", From: from, To: to})
				out += (to - from).Seconds()
				after = to
			}
			end = max(end, to)
		}
		columns := rapid.IntRange(1, 300).Draw(t, "columns")
		p := l.Fit(columns)
		if n := int(end/p.Column) + 1; n > columns || p.Columns() > 0 && p.Columns() != n {
			t.Fatalf("%d columns of %v, at most %d wanted, run of %v", p.Columns(), p.Column, columns, end)
		}
		for _, lane := range p.Lanes {
			for i, c := range lane.Cells {
				length := min(p.Column, end-time.Duration(i)*p.Column).Seconds()
				if c.Busy < 0 || c.Busy > 1.0001 || c.Out < 0 || c.Out > 1.0001 {
					t.Fatalf("%+v", c)
				}
				answered -= c.Answered
				failed -= c.Failed
				out -= c.Out * length
			}
		}
		for _, d := range p.Doors {
			turned -= d.Requests
		}
		if answered != 0 || failed != 0 || turned != 0 || math.Abs(out) > 1e-4*end.Seconds()+1e-6 {
			t.Errorf("left over: %d answered, %d failed, %d turned away, %v s out of %v", answered, failed, turned, out, end)
		}
	})
}

// Everything a lane knows has its place from the start.
func TestLanesAreFlat(t *testing.T) {
	l := NewLanes(peers[:])
	a := New(l)
	load := &load{sink: a}
	for load.sent < 100_000 {
		load.request()
	}
	before := testing.AllocsPerRun(1, func() {})
	if n := testing.AllocsPerRun(10_000, load.request); n > before {
		t.Errorf("%v allocations a request", n)
	}
}
