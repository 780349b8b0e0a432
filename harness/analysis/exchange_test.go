package analysis

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/event/story"
)

const ms = time.Millisecond

var wholeExchange = &Exchange{
	Request: event.Request{Traffic: "r", N: 1},
	Sent:    1 * time.Second, Ended: 61021 * ms, Outcome: event.Passed, Status: 200, ProxyStatus: 200, Worker: 1,
	Attempts: []Attempt{
		{Peer: "a", Upstream: "u", Started: 1001 * ms, Ended: 61001 * ms, Outcome: event.ReadTimeout, Status: 504, Marked: true},
		{Peer: "b", Upstream: "u", Started: 61001 * ms, Ended: 61020 * ms, Outcome: event.Passed, Status: 200, Cached: true},
	},
	Got: []string{"a", "b"},
}

func TestExchangeIsPutTogether(t *testing.T) {
	r := recorded(t, time.Hour, whole)
	if diff := cmp.Diff([]*Exchange{wholeExchange}, r.Exchanges); diff != "" {
		t.Error(diff)
	}
	if got := r.Exchanges[0].Latency(); got != 60021*ms {
		t.Errorf("latency %v", got)
	}
	if diff := cmp.Diff([]Mark{{At: 61001 * ms, Peer: "a", Upstream: "u", Request: event.Request{Traffic: "r", N: 1}, Try: 1}}, r.Marks); diff != "" {
		t.Error(diff)
	}
}

// When it is complete, it is told: not before, and not only at Close.
func TestExchangeIsToldWhenComplete(t *testing.T) {
	for _, c := range []struct {
		name, text string
		early      int // exchanges before the last line
		told       int // after it
	}{
		{"the client ends last", whole, 0, 1},
		{"the proxy's word comes last", `
			1 sent r/1
			1 attempt r/1#1 peer=a
			2 ended r/1#1 peer=a outcome=passed status=200
			2 response r/1 outcome=passed status=200
			2 answered r/1 status=200`, 0, 1},
		{"the proxy works on after the client left", `
			1 sent r/1
			1 attempt r/1#1 peer=a
			2 response r/1 outcome=client_timeout
			2 answered r/1 status=499
			61 ended r/1#1 peer=a outcome=read_timeout`, 0, 1},
		{"no live peer", `
			1 sent r/1
			1 no_live r/1
			1 answered r/1 status=502
			1 response r/1 outcome=passed status=502`, 0, 1},
		{"the client couldn't connect", `
			1 sent r/1
			1 response r/1 outcome=client_refused`, 0, 1},
		{"a second attempt is still running", `
			1 sent r/1
			1 attempt r/1#1 peer=a
			2 ended r/1#1 peer=a outcome=reset
			2 attempt r/1#2 peer=b
			2 response r/1 outcome=client_timeout
			2 answered r/1 status=499`, 0, 0},
		{"the proxy tries on for long after the client left", `
			1 sent r/1
			1 attempt r/1#1 peer=a
			2 response r/1 outcome=client_timeout
			61 ended r/1#1 peer=a outcome=read_timeout
			61 attempt r/1#2 peer=b
			130 sent r/2
			131 ended r/1#2 peer=b outcome=read_timeout
			131 answered r/1 status=499`, 0, 1},
		{"the proxy never says that it answered", `
			1 sent r/1
			2 response r/1 outcome=passed status=200
			61 sent r/2
			63 sent r/3`, 0, 1},
		{"the proxy's log is read twenty seconds late", `
			1 sent r/1
			2 response r/1 outcome=passed status=200
			22 sent r/2
			1 attempt r/1#1 peer=a
			2 ended r/1#1 peer=a outcome=passed status=200
			2 answered r/1 status=200`, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Record{}
			a := New(r)
			events := story.Read(t, c.text)
			for i, e := range events {
				if i == len(events)-1 && len(r.Exchanges) != c.early {
					t.Errorf("%d exchanges before the last event, want %d", len(r.Exchanges), c.early)
				}
				a.Emit(e)
			}
			if len(r.Exchanges) != c.told {
				t.Errorf("%d exchanges after the last event, want %d", len(r.Exchanges), c.told)
			}
		})
	}
}

func TestCloseTellsWhatIsOpen(t *testing.T) {
	r := recorded(t, 100*time.Second, `
		2 sent r/2
		1 sent q/1
		3 attempt r/2#1 peer=a up=u
		5 sent r/3
		6 response r/3 outcome=passed status=200
		7 marked r/9#1 peer=b up=u
	`)
	want := []*Exchange{
		{Request: event.Request{Traffic: "q", N: 1}, Sent: time.Second, Ended: 100 * time.Second},
		{Request: event.Request{Traffic: "r", N: 2}, Sent: 2 * time.Second, Ended: 100 * time.Second,
			Attempts: []Attempt{{Peer: "a", Upstream: "u", Started: 3 * time.Second}}},
		{Request: event.Request{Traffic: "r", N: 3}, Sent: 5 * time.Second, Ended: 6 * time.Second, Outcome: event.Passed, Status: 200},
		{Request: event.Request{Traffic: "r", N: 9}, Sent: 7 * time.Second, Ended: 100 * time.Second, Attempts: []Attempt{{Marked: true}}},
	}
	if diff := cmp.Diff(want, r.Exchanges); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Stretch{{Peer: "b", Upstream: "u", From: 7 * time.Second, To: 100 * time.Second, Open: true}}, r.Stretches); diff != "" {
		t.Error(diff)
	}
}

func TestAWrongTryCostsNothing(t *testing.T) {
	r := recorded(t, time.Minute, `
		1 sent r/1
		1 attempt r/1#2000000000 peer=a
		1 ended r/1#0 peer=a outcome=reset
		2 answered r/1 status=200
		2 response r/1 outcome=passed status=200
	`)
	if len(r.Exchanges) != 1 || len(r.Exchanges[0].Attempts) != 0 {
		t.Errorf("%+v", r.Exchanges)
	}
}

// The analysis hands out one Exchange again and again; what an observer copied
// is not touched.
func TestArgumentsAreUsedAgain(t *testing.T) {
	var pointers []*Exchange
	a := New(probe{exchange: func(x *Exchange) { pointers = append(pointers, x) }})
	for range 2 {
		for _, e := range story.Read(t, whole) {
			e.Request.N += len(pointers)
			a.Emit(e)
		}
	}
	if len(pointers) != 2 || pointers[0] != pointers[1] {
		t.Errorf("%d exchanges, not the same memory", len(pointers))
	}
}

func TestNothingAfterClose(t *testing.T) {
	r := &Record{}
	a := New(r)
	a.Close(time.Second)
	for _, e := range story.Read(t, whole) {
		a.Emit(e)
	}
	a.Close(time.Minute)
	if len(r.Exchanges)+len(r.Marks)+len(r.Stretches) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestReplayTellsTheSame(t *testing.T) {
	first, second := recorded(t, time.Hour, whole+"70 log detail=no_live_upstreams\n71 attempt r/7#1 peer=a up=u\n120 got r/1 peer=a\n"), &Record{}
	first.Replay(second)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
	if len(second.Logs) != 1 || len(second.Stretches) != 1 || len(second.Stragglers) != 1 {
		t.Errorf("%+v", second)
	}
}

func TestSeen(t *testing.T) {
	seen := func(o event.Outcome, status int) Seen { return (&Exchange{Outcome: o, Status: status}).Seen() }
	list := []Seen{
		seen(0, 0), seen(event.ClientTimeout, 0), seen(event.Truncated, 200), seen(event.Closed, 0), seen(event.Passed, 504), seen(event.Passed, 200),
	}
	slices.SortFunc(list, Seen.Compare)
	var got []string
	for _, s := range list {
		got = append(got, s.String())
	}
	if diff := cmp.Diff([]string{"200", "504", "unfinished", "truncated", "closed", "client_timeout"}, got); diff != "" {
		t.Error(diff)
	}
}

// probe is an observer made of functions.
type probe struct{ exchange func(*Exchange) }

func (p probe) Exchange(x *Exchange) { p.exchange(x) }
func (probe) Mark(Mark)              {}
func (probe) Stretch(Stretch)        {}
func (probe) Log(event.Event)        {}
