package upstream

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// step is one indivisible thing that happened to a group: a request came and
// was given a peer or none, or an attempt ended, which in nginx is one call that
// releases the peer and picks the next (ngx_http_upstream_next).
type step struct {
	at      time.Duration
	seq     int // its place in the log, for equal stamps
	order   int // Event.Order
	request int // number of the request within the replay
	arrival Arrival
	// try is the attempt that ended, 0 when the request came.
	try     int
	outcome event.Outcome
	status  int
	cached  bool
	peer    string // on which the attempt ran
	want    follow
	// connected is true when the connection of try stands; nothing follows from it.
	connected bool
	// gone is true when the proxy logged 499 after a failure.
	gone bool
	// again is true when what follows may be of an error page, which asks the same
	// upstream again when nginx has given up.
	again bool
	// previous and following are the neighbours of the same request in the list,
	// -1 for none.
	previous, following int
	// behind is the step of the same worker that its error log has before this one,
	// -1 for none.
	behind int
	// like is equal for steps that do the same to a group, whichever of them
	// comes first; "" is like no other.
	like string
}

// follow is what comes after a step.
type follow struct {
	how    followKind
	peer   string // followTry
	status int    // followAnswer
	mark   bool
}

type followKind uint8

const (
	// followUnknown: the log ends here.
	followUnknown followKind = iota
	followTry
	followNoLive
	followAnswer // the proxy gave up
	followPass   // the response was passed on
	followOn     // the session goes on
)

func (f follow) describe(peer string) string {
	text := map[followKind]string{
		followUnknown: "the log ends", followTry: "try " + f.peer, followNoLive: "no live upstreams",
		followAnswer: fmt.Sprintf("answer %d", f.status), followPass: "pass on", followOn: "go on",
	}[f.how]
	if f.mark {
		text = "mark " + peer + ", " + text
	}
	return text
}

// story is what was recorded of one request.
type story struct {
	arrival Arrival
	events  []told
	marks   []int // tries
	status  int   // of ProxyAnswered, 0 for none
	// replaced is Recorded.Replaced.
	replaced bool
}

// over says whether the story can't go on with e: an error page has passed the
// request on again, or a client that got nothing has asked again.
func (s *story) over(e event.Event) bool {
	if len(s.events) == 0 || e.Kind != event.AttemptStarted && e.Kind != event.NoLive {
		return false
	}
	switch last := s.events[len(s.events)-1]; {
	case last.Kind == event.NoLive:
		return s.replaced
	case last.Kind == event.AttemptEnded:
		return last.Outcome == event.Truncated || s.replaced && last.Outcome == event.Passed
	}
	return false
}

// told is an event with its place in the log.
type told struct {
	event.Event
	seq int
}

// recordedSteps returns the steps of every group of the upstream in order of
// time: one group with a zone, otherwise one a worker. Two stamps may be within as
// far off against each other.
func recordedSteps(cfg Config, in []Recorded, within time.Duration) [][]step {
	stories, order := map[event.Request]*story{}, []*story{}
	for seq, r := range in {
		e := r.Event
		s := stories[e.Request]
		if e.Kind == event.ProxyAnswered {
			if s != nil {
				s.status = e.Status
			}
			continue
		}
		if e.Upstream != cfg.Name || e.Request == (event.Request{}) {
			continue // a line of the log that no request claims decides nothing
		}
		switch e.Kind {
		case event.AttemptStarted, event.Connected, event.AttemptEnded, event.PeerMarked, event.NoLive:
		default:
			continue
		}
		if s == nil || s.over(e) {
			s = &story{arrival: r.Arrival, replaced: r.Replaced}
			s.arrival.ID, s.arrival.Worker = e.Request, e.Worker
			stories[e.Request] = s
			order = append(order, s)
		}
		if e.Kind == event.PeerMarked {
			s.marks = append(s.marks, e.Try)
		} else {
			s.events = append(s.events, told{e, seq})
		}
	}
	groups := map[int][]step{}
	for i, s := range order {
		w := s.arrival.Worker
		if cfg.Zone {
			w = 0
		}
		groups[w] = s.steps(groups[w], i, cfg.namesOnce())
	}
	var out [][]step
	for _, w := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, inOrder(groups[w], within))
	}
	return out
}

// namesOnce says whether every name stands for one peer.
func (c *Config) namesOnce() bool {
	seen := map[string]bool{}
	for _, s := range c.Servers {
		if seen[s.Name] {
			return false
		}
		seen[s.Name] = true
	}
	return true
}

// steps appends the request's steps. comparable is false when a recorded name
// doesn't say which peer it was.
func (s *story) steps(dst []step, number int, comparable bool) []step {
	slices.SortStableFunc(s.events, func(a, b told) int { return cmp.Compare(place(a.Event), place(b.Event)) })
	like := ""
	// Where the limit on time matters, requests that came at different times
	// aren't alike.
	if comparable && s.arrival.Policy.Timeout == 0 {
		like = fmt.Sprintf("%+v %v %q %x", s.arrival.Policy, idempotent(s.arrival.Method), s.arrival.Key, s.arrival.ClientAddr)
	}
	for i, e := range s.events {
		st := step{at: e.At, seq: e.seq, order: e.Order, request: number, arrival: s.arrival, want: s.follow(i)}
		switch {
		case e.Kind == event.Connected:
			st.try, st.peer, st.connected = e.Try, e.Peer, true
		case e.Kind == event.AttemptEnded:
			st.try, st.outcome, st.status, st.peer = e.Try, e.Outcome, e.Status, e.Peer
			st.cached = e.Cached || i > 0 && s.events[i-1].Cached
			st.want.mark = slices.Contains(s.marks, e.Try)
			st.gone = s.status == 499 && st.want.how == followAnswer
			st.again = s.replaced && (st.want.how == followTry || st.want.how == followNoLive)
		case i == 0:
		default: // told by the attempt before it
			continue
		}
		if like != "" {
			like = fmt.Sprintf("%s/%d %v %v %d %v %v %v %+v", like, st.try, st.connected, st.outcome, st.status, st.cached, st.gone, st.again, st.want)
			st.like = like
		}
		dst = append(dst, st)
	}
	return dst
}

// place orders the events of a request by what they tell, because jittered
// stamps may not.
func place(e event.Event) int {
	switch e.Kind {
	case event.AttemptStarted:
		return 3 * e.Try
	case event.Connected:
		return 3*e.Try + 1
	case event.AttemptEnded:
		return 3*e.Try + 2
	}
	return math.MaxInt // NoLive is the end
}

// follow is what the request did after its i-th event.
func (s *story) follow(i int) follow {
	e := s.events[i]
	switch {
	case e.Kind == event.AttemptStarted:
		return follow{how: followTry, peer: e.Peer}
	case e.Kind == event.Connected:
		return follow{how: followOn}
	case e.Kind == event.NoLive:
		return follow{how: followNoLive}
	case i+1 < len(s.events) && s.events[i+1].Kind == event.NoLive:
		return follow{how: followNoLive}
	case i+1 < len(s.events):
		return follow{how: followTry, peer: s.events[i+1].Peer}
	case e.Outcome == event.Passed || e.Outcome == event.Truncated || e.Outcome == event.Aborted || e.Outcome == event.Relayed:
		return follow{how: followPass}
	case s.replaced && s.status != 0 && s.status != 499:
		return follow{how: followAnswer, status: e.Status}
	case s.status != 0:
		return follow{how: followAnswer, status: s.status}
	}
	return follow{}
}

// what says what happened, for a Difference.
func (st *step) what() string {
	if st.try == 0 {
		return "came"
	}
	if st.connected {
		return fmt.Sprintf("try %d on %s connected", st.try, st.peer)
	}
	text := fmt.Sprintf("try %d on %s ended: %v", st.try, st.peer, st.outcome)
	if st.outcome == event.Listed || st.outcome == event.Passed {
		text += fmt.Sprintf(" %d", st.status)
	}
	return text
}
