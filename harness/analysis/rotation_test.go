package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/event/story"
)

func TestStretches(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"from the mark to the next attempt", `
			60 marked r/1#1 peer=a up=u
			110 attempt r/11#1 peer=a up=u`, "a/u 1m0s-1m50s"},
		{"other peers and the same peer in another upstream don't end it", `
			60 marked r/1#1 peer=a up=u
			61 attempt r/2#1 peer=b up=u
			62 attempt r/3#1 peer=a up=v`, "a/u 1m0s-10m0s open"},
		{"a straggler's mark doesn't begin another", `
			60 marked r/1#1 peer=a up=u
			65 marked r/2#1 peer=a up=u
			110 attempt r/11#1 peer=a up=u
			111 attempt r/12#1 peer=a up=u`, "a/u 1m0s-1m50s"},
		{"a failed probe begins the next", `
			60 marked r/1#1 peer=a up=u
			110 attempt r/11#1 peer=a up=u
			170 marked r/11#1 peer=a up=u`, "a/u 1m0s-1m50s, a/u 2m50s-10m0s open"},
		{"a start with the mark's stamp was picked before it", `
			60 marked r/1#1 peer=a up=u
			60 attempt r/2#1 peer=a up=u
			75 attempt r/3#1 peer=a up=u`, "a/u 1m0s-1m15s"},
		{"a start from before the mark that is read after it", `
			60 marked r/1#1 peer=a up=u
			59.9 attempt r/2#1 peer=a up=u
			75 attempt r/3#1 peer=a up=u`, "a/u 1m0s-1m15s"},
		{"a mark that is read after the start that ended its stretch", `
			60.4 attempt r/3#1 peer=a up=u
			60 marked r/1#1 peer=a up=u`, "a/u 1m0s-1m0.4s"},
		{"a straggler that is read after the start", `
			60 marked r/1#1 peer=a up=u
			75 attempt r/3#1 peer=a up=u
			74.9 marked r/2#1 peer=a up=u`, "a/u 1m0s-1m15s"},
		{"a mark that is read before an earlier start", `
			60 marked r/1#1 peer=a up=u
			75.1 marked r/2#1 peer=a up=u
			75 attempt r/3#1 peer=a up=u`, "a/u 1m0s-1m15s, a/u 1m15.1s-10m0s open"},
		{"foreign requests count too", `
			60 marked peer=a up=u
			110 attempt peer=a up=u`, "a/u 1m0s-1m50s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := written(recorded(t, 10*time.Minute, c.text).Stretches); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Without a zone a worker's attempt says nothing about the others.
func TestStretchesOfWorkers(t *testing.T) {
	const text = `
		60 marked r/1#1 peer=a up=u
		60.5 marked r/3#1 peer=a up=u worker=1
		61 attempt r/2#1 peer=a up=u worker=2
		75 attempt r/4#1 peer=a up=u worker=1
		80 attempt r/5#1 peer=a up=u`
	for workers, want := range map[int]string{
		1: "a/u 1m0s-1m1s",
		3: "a/u 1m0.5s-1m15s worker 1 of 3, a/u 1m0s-1m20s worker 0 of 3",
	} {
		r := &Record{}
		a := New(r)
		a.CountApart("u", workers)
		for _, e := range story.Read(t, text) {
			a.Emit(e)
		}
		a.Close(10 * time.Minute)
		if got := written(r.Stretches); got != want {
			t.Errorf("%d workers:\ngot  %s\nwant %s", workers, got, want)
		}
	}
}

func written(stretches []Stretch) string {
	var out []string
	for _, s := range stretches {
		text := fmt.Sprintf("%s/%s %s-%s", s.Peer, s.Upstream, s.From, s.To)
		if s.Workers > 0 {
			text += fmt.Sprintf(" worker %d of %d", s.Worker, s.Workers)
		}
		if s.Open {
			text += " open"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// apart is an upstream without a zone, of three workers.
const apart = "v"

// twin derives stretches the dumb way: from the whole run, sorted, peer by peer.
func twin(events []event.Event, end time.Duration) []Stretch {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b event.Event) int {
		// A start goes before a mark with the same stamp.
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind))
	})
	var out []Stretch
	for i, m := range events {
		if m.Kind != event.PeerMarked {
			continue
		}
		same := func(e event.Event, k event.Kind) bool {
			return e.Kind == k && e.Peer == m.Peer && e.Upstream == m.Upstream && (e.Upstream != apart || e.Worker == m.Worker)
		}
		// The mark is a straggler's if no attempt lies between it and an earlier mark.
		straggler := false
		for j := i - 1; j >= 0 && !same(events[j], event.AttemptStarted); j-- {
			straggler = straggler || same(events[j], event.PeerMarked)
		}
		if straggler {
			continue
		}
		s := Stretch{Peer: m.Peer, Upstream: m.Upstream, From: m.At, To: end, Open: true}
		if m.Upstream == apart {
			s.Worker, s.Workers = m.Worker, 3
		}
		for _, e := range events[i:] {
			if same(e, event.AttemptStarted) {
				s.To, s.Open = e.At, false
				break
			}
		}
		out = append(out, s)
	}
	return out
}

func TestStretchesAgreeWithTheTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := anyRotation(t)
		const end = time.Hour
		// Neighbours may have changed places on the way here, if they come from
		// different logs: starts from the access log, marks from the error log.
		inverted := slices.Clone(events)
		for i := 1; i < len(inverted); i++ {
			if inverted[i].Kind != inverted[i-1].Kind && rapid.Bool().Draw(t, "swap") {
				inverted[i-1], inverted[i] = inverted[i], inverted[i-1]
				i++
			}
		}
		r := &Record{}
		a := New(r)
		a.CountApart(apart, 3)
		for _, e := range inverted {
			a.Emit(e)
		}
		a.Close(end)
		order := func(a, b Stretch) int {
			return cmp.Or(cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Peer, b.Peer), cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.From, b.From))
		}
		got, want := r.Stretches, twin(events, end)
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if diff := gocmp.Diff(written(want), written(got)); diff != "" {
			t.Fatalf("%s\nevents %v", diff, inverted)
		}
	})
}

// anyRotation is a run in order of time: starts and marks of a few peers, some
// with equal stamps.
func anyRotation(t *rapid.T) []event.Event {
	var events []event.Event
	var at time.Duration
	for range rapid.IntRange(0, 60).Draw(t, "events") {
		at += time.Duration(rapid.IntRange(0, 3).Draw(t, "gap")) * time.Second
		events = append(events, event.Event{
			At: at, Kind: rapid.SampledFrom([]event.Kind{event.AttemptStarted, event.PeerMarked}).Draw(t, "kind"),
			Peer: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "peer"), Upstream: rapid.SampledFrom([]string{"u", apart}).Draw(t, "upstream"),
			Worker: rapid.IntRange(0, 2).Draw(t, "worker"),
		})
	}
	return events
}
