package sim

import (
	"time"

	"github.com/nolive/nolive/backends/fault"
)

// step is one thing that is due. A step whose generation is older than its
// flight's is stale: what it waited for was overtaken.
type step struct {
	at   time.Duration
	seq  uint64 // order among equal instants: first scheduled, first done
	do   do
	door fault.Door // of doDoor: what the door becomes
	gen  uint32
	user int32
	f    *flight
	x    *exchange
	t    *traffic
	// timer is an idle connection's.
	timer *idleTimer
}

// do says what a step does.
type do uint8

const (
	doArrive        do = iota // the next request of an open loop is sent
	doAsk                     // a user of a closed loop asks
	doRead                    // a backend gets to read a request
	doAwait                   // a backend comes to a barrier
	doConnected               // a retransmitted SYN is answered at last
	doConnectFail             // proxy_connect_timeout
	doHandshake               // a backend takes a TLS connection up
	doGone                    // a backend accepts a connection that was given up
	doShaken                  // a TLS handshake is over
	doHeader                  // the response header is complete
	doFail                    // the attempt fails as f.outcome says
	doEnd                     // the exchange is over as f.outcome says
	doClientTimeout           // the client has waited long enough
	doIdle                    // an idle upstream connection goes
	doDoor                    // a backend's door changes
)

// queue is a binary heap of steps by instant, then order of scheduling.
type queue struct {
	steps []step
	seq   uint64
}

func (q *queue) less(a, b *step) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// push schedules s.
func (q *queue) push(s step) {
	q.seq++
	s.seq = q.seq
	q.steps = append(q.steps, s)
	i := len(q.steps) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !q.less(&q.steps[i], &q.steps[parent]) {
			break
		}
		q.steps[i], q.steps[parent] = q.steps[parent], q.steps[i]
		i = parent
	}
}

// pop removes and returns the first step; the queue must not be empty.
func (q *queue) pop() step {
	first := q.steps[0]
	last := len(q.steps) - 1
	q.steps[0] = q.steps[last]
	q.steps[last] = step{}
	q.steps = q.steps[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && q.less(&q.steps[child+1], &q.steps[child]) {
			child++
		}
		if !q.less(&q.steps[child], &q.steps[i]) {
			break
		}
		q.steps[i], q.steps[child] = q.steps[child], q.steps[i]
		i = child
	}
	return first
}
