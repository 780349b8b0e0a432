package analysis

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Exchange is one client request from beginning to end, put together from its events.
type Exchange struct {
	Request event.Request
	// Sent and Ended are the client's instants; Ended is when it had its whole
	// answer or knew it would not get one.
	Sent, Ended time.Duration
	// Outcome and Status are what the client saw: Passed with a status,
	// Truncated, Closed, ClientTimeout, ClientRefused. 0 when the run ended first.
	Outcome event.Outcome
	Status  int
	// ProxyStatus is what the proxy would log, 499 for a client that left; 0 when unknown.
	ProxyStatus int
	Worker      int
	// Attempts in order.
	Attempts []Attempt
	// NoLive is true when the upstream NoLiveIn had no live peer for it, at NoLiveAt.
	NoLive   bool
	NoLiveAt time.Duration
	NoLiveIn string
	// Got lists the backends that read the request, in order of arrival.
	Got []string
}

// Latency is the client's: from the planned send to the end of the answer.
func (x *Exchange) Latency() time.Duration { return x.Ended - x.Sent }

// Attempt is one attempt of a request on a peer.
type Attempt struct {
	Peer     string
	Upstream string
	Started  time.Duration
	// Ended is valid when Outcome isn't 0; Outcome 0 is still running at the end.
	Ended   time.Duration
	Outcome event.Outcome
	Status  int
	Cached  bool
	Marked  bool
}

// Mark is one counted failure at or above max_fails.
type Mark struct {
	At       time.Duration
	Peer     string
	Upstream string
	Request  event.Request
	Try      int
	Worker   int
}

// Stretch is a time in which a peer was out of rotation: from a mark to the
// next attempt on it in the same upstream. A mark while it is already out (a
// straggler) doesn't begin another one. Workers that count for themselves have
// stretches of their own, from a worker's mark to the same worker's next attempt.
type Stretch struct {
	Peer     string
	Upstream string
	From     time.Duration
	// To is the next attempt, or the end of the run when Open.
	To   time.Duration
	Open bool
	// Worker is whose stretch it is and Workers how many of them count for
	// themselves; both are 0 where all share their counters.
	Worker, Workers int
}

// Len is the length of the stretch.
func (s Stretch) Len() time.Duration { return s.To - s.From }

// Observer takes in what the analysis derives, each thing once, as soon as it
// is complete. Arguments are valid only during the call.
type Observer interface {
	Exchange(*Exchange)
	Mark(Mark)
	Stretch(Stretch)
	// Log is one line of the proxy's error log.
	Log(event.Event)
}
