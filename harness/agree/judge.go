package agree

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// Verdict says how an engine's run of a case compares with the simulator's.
type Verdict uint8

// The verdicts.
const (
	// Agreed: the same peers, outcomes, cached connections, statuses and marks.
	Agreed Verdict = iota
	// Drawn: nginx drew the peers itself (`random`), or the workers with counters or
	// connections of their own got other requests, or the ports that the backends got put
	// something on an edge (`hash KEY consistent`), and the model takes every decision
	// of the run, given those draws.
	Drawn
	// Explained: the model, fed with the instants that occurred, takes every
	// decision of the run, and the first thing that went another way is a pick.
	Explained
	// Differs: none of these.
	Differs
	// Undecided: it differs, but the machine was later than the margin that cases are
	// drawn with. Neither agreed nor differed.
	Undecided
)

// Finding is one case on one engine.
type Finding struct {
	Case    *Case
	Engine  harness.Engine
	Verdict Verdict
	// Differences from the simulator, none for Agreed.
	Differences []harness.Difference
	// Replayed is what the model says of the run's own instants, nil if it agreed.
	Replayed []harness.Replayed
	// Late is how far the events before the first difference were from the
	// simulator's instants.
	Late time.Duration
	// Lateness is the worst of the whole run, sends and waits.
	Lateness time.Duration
	Run      *harness.Result
	// Dir is where the real nginx's configuration and logs of the run are, "" for nowhere.
	Dir string
	// Repeats is how often the case was run again; First tells what its first run
	// was like and FirstLate how late that was.
	Repeats   int
	First     string
	FirstLate time.Duration
}

// judge compares every case on every engine with the simulator.
func (b *batch) judge() []Finding {
	var out []Finding
	for _, e := range harness.Engines() {
		for i, r := range b.runs[e] {
			f := judge(b.cases[i], e, r)
			if e == harness.Nginx {
				f.Dir = b.dirs[i]
			}
			out = append(out, f)
		}
	}
	return out
}

func judge(c *Case, e harness.Engine, r *harness.Result) Finding {
	f := Finding{Case: c, Engine: e, Run: r}
	u := c.Nginx.Upstreams[0]
	addressed := e == harness.Nginx && u.Method == upstream.ConsistentHash
	sim := c.Sim
	if addressed {
		c.withAddresses(r.Addresses, func() { sim = c.again() })
	}
	if e == harness.Nginx {
		unread(sim.Events, r.Events)
	}
	f.Differences = harness.Compare(sim, r)
	if len(f.Differences) == 0 {
		return f
	}
	f.Replayed = r.Replay()
	explained := !slices.ContainsFunc(f.Replayed, func(u harness.Replayed) bool { return u.First != nil })
	d := diverge(sim.Events, r.Events)
	f.Late = d.late
	switch {
	case explained && (c.draws(e) || addressed && !c.steadyWith(r.Addresses, sim)):
		f.Verdict = Drawn
	case explained && d.pick:
		f.Verdict = Explained
	default:
		f.Verdict = Differs
	}
	return f
}

// draws says whether a run on the engine depends on draws that the simulator
// doesn't know: those of random(), and which worker a client's connection comes
// to, which the kernel decides and, in the simulator and the reference proxy, the
// connection's number among those of all cases.
func (c *Case) draws(e harness.Engine) bool {
	u := c.Nginx.Upstreams[0]
	if e == harness.Nginx && (u.Method == upstream.Random || u.Method == upstream.RandomTwo) {
		return true
	}
	return c.Nginx.WorkerProcesses > 1 && (!u.Zone || upstream.NewCache(*u) != nil)
}

// asLong is how much longer one of two attempts may take that are the same: a backend
// that cuts a new connection waits 100 ms before, one that cuts a kept one doesn't.
const asLong = 80 * time.Millisecond

// unread takes over from the simulator which attempts went out on a kept-alive
// connection, where no backend read the request and the attempt ended alike, after as
// long: nginx doesn't tell, and only the backend would know; see Exceptions.
func unread(sim, events []event.Event) {
	type attempt struct {
		request event.Request
		try     int
	}
	type place struct {
		request event.Request
		peer    string
	}
	// How many attempts on a peer it read nothing of. Where it read some of them, nobody
	// knows which.
	missing, got := map[place]int{}, map[place]bool{}
	for _, e := range events {
		switch p := (place{e.Request, e.Peer}); e.Kind {
		case event.AttemptEnded:
			missing[p]++
		case event.BackendGot:
			missing[p]--
			got[p] = true
		}
	}
	type lasting struct {
		end  event.Event
		took time.Duration
	}
	attempts := func(events []event.Event) map[attempt]lasting {
		began, out := map[attempt]time.Duration{}, map[attempt]lasting{}
		for _, e := range events {
			switch k := (attempt{e.Request, e.Try}); e.Kind {
			case event.AttemptStarted:
				began[k] = e.At
			case event.AttemptEnded:
				out[k] = lasting{e, e.At - began[k]}
			}
		}
		return out
	}
	known := attempts(sim)
	alike := map[attempt]bool{}
	for k, a := range attempts(events) {
		b := known[k]
		p := place{k.request, a.end.Peer}
		switch a.end.Outcome {
		case event.Passed, event.Listed, event.Truncated:
			continue // it was read
		case event.Aborted:
			if got[p] {
				continue // it may have been the one
			}
		}
		alike[k] = missing[p] > 0 && b.end.Peer == a.end.Peer && b.end.Outcome == a.end.Outcome && (a.took-b.took).Abs() < asLong
	}
	for i := range events {
		if k := (attempt{events[i].Request, events[i].Try}); alike[k] && events[i].Kind != event.BackendGot {
			events[i].Cached = known[k].end.Cached
		}
	}
}

// withAddresses calls f while the case has the addresses that nginx had for its
// backends, because those are what `hash KEY consistent` hashes.
func (c *Case) withAddresses(addresses map[string]string, f func()) {
	set := func(of func(name string) string) {
		for _, u := range c.Nginx.Upstreams {
			for i := range u.Servers {
				u.Servers[i].Address = of(u.Servers[i].Name)
			}
		}
	}
	set(func(name string) string { return addresses[name] })
	defer set(func(string) string { return "" })
	f()
}

// again simulates the case as it is now.
func (c *Case) again() *harness.Result {
	r, err := c.run(c.Scenario)
	if err != nil {
		return c.Sim // it ran before
	}
	return r
}

// steadyWith says whether nothing lies on an edge with the addresses that nginx had: the
// case was drawn without them, and they send requests elsewhere.
func (c *Case) steadyWith(addresses map[string]string, sim *harness.Result) (steady bool) {
	there := *c
	there.Sim = sim
	c.withAddresses(addresses, func() { steady = there.offEdges() })
	return steady
}

// divergence is where two runs part.
type divergence struct {
	// pick is true when the first thing that differs is the proxy's choice: a
	// peer, a mark, to go on or to give up.
	pick bool
	late time.Duration
}

// diverge finds the earliest event of sim that the other run doesn't have in its
// place among the events of the same request.
func diverge(sim, other []event.Event) divergence {
	left, right := byRequest(sim), byRequest(other)
	first := time.Duration(1<<63 - 1)
	var d divergence
	for r, a := range left {
		b := right[r]
		for i := range a {
			if i < len(b) && same(a[i], b[i]) {
				continue
			}
			if a[i].At < first {
				first = a[i].At
				// The same attempt with another end, and another answer after the same
				// attempts, are not for the proxy to choose.
				d.pick = i >= len(b) || a[i].Kind != b[i].Kind || a[i].Kind != event.AttemptEnded && a[i].Kind != event.ResponseEnded
			}
			break
		}
	}
	for r, a := range left {
		b := right[r]
		for i := range min(len(a), len(b)) {
			if a[i].At >= first || !same(a[i], b[i]) {
				break
			}
			d.late = max(d.late, (b[i].At - a[i].At).Abs())
		}
	}
	return d
}

func same(a, b event.Event) bool {
	if a.Kind == event.AttemptStarted {
		a.Cached = b.Cached // nobody knows yet
	}
	if a.Kind == event.AttemptEnded {
		a.Status = b.Status // the outcome has what matters of it
	}
	return a.Kind == b.Kind && a.Peer == b.Peer && a.Outcome == b.Outcome && a.Status == b.Status && a.Cached == b.Cached
}

// byRequest are the events that the proxy decides, and the client's answers.
func byRequest(events []event.Event) map[event.Request][]event.Event {
	out := map[event.Request][]event.Event{}
	for _, e := range events {
		switch e.Kind {
		case event.AttemptStarted, event.AttemptEnded, event.PeerMarked, event.NoLive, event.ResponseEnded:
			if e.Request != (event.Request{}) {
				e.Detail = ""
				out[e.Request] = append(out[e.Request], e)
			}
		}
	}
	return out
}

// String tells the finding in a few lines.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: sim and %s differ (%v late before that)", f.Case.Title(), f.Engine, f.Late.Round(time.Millisecond))
	for i, d := range f.Differences {
		if i == 6 {
			fmt.Fprintf(&b, "\n  and %d more", len(f.Differences)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %v", d)
	}
	for _, u := range f.Replayed {
		if u.First != nil {
			fmt.Fprintf(&b, "\n  on %s's own instants: %v", f.Engine, strings.ReplaceAll(u.First.String(), "\n", "\n  "))
		} else {
			fmt.Fprintf(&b, "\n  on %s's own instants the model takes all %d decisions", f.Engine, u.Decisions)
		}
	}
	return b.String()
}
