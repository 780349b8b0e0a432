package upstream_test

import (
	"fmt"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"

	"pgregory.net/rapid"
)

// propertyChecks holds what must be true of every run, whoever computes it: it
// looks at events and states alone.
type propertyChecks struct {
	group    upstream.Config
	requests int
	// tried lists the peers that a request has tried, by name; running its
	// attempts that haven't ended; marked the last mark of a peer, by name.
	tried   map[event.Request][]string
	running map[event.Request]string
	marks   map[string]time.Duration
	wrong   string
}

func (c *propertyChecks) fail(format string, args ...any) {
	if c.wrong == "" {
		c.wrong = fmt.Sprintf(format, args...)
	}
}

// single says whether the group is a lone server; twice whether a name occurs twice.
func (c *propertyChecks) single() bool { return len(c.group.Servers) == 1 }

func (c *propertyChecks) count(name string) (n int, failTimeout time.Duration) {
	for _, s := range c.group.Servers {
		if s.Name == name {
			n++
			failTimeout = s.FailTimeout
		}
	}
	return n, failTimeout
}

func (c *propertyChecks) event(e event.Event) {
	if c.tried == nil {
		c.tried = map[event.Request][]string{}
		c.running = map[event.Request]string{}
		c.marks = map[string]time.Duration{}
	}
	switch e.Kind {
	case event.AttemptStarted:
		c.started(e)
	case event.AttemptEnded:
		if c.running[e.Request] != e.Peer {
			c.fail("%v: an attempt on %s ended, running was %q", e.Request, e.Peer, c.running[e.Request])
		}
		c.running[e.Request] = ""
	case event.PeerMarked:
		if c.single() {
			c.fail("%v: a lone server is marked", e.Request)
		}
		c.marks[e.Peer] = e.At
	case event.NoLive:
		if c.running[e.Request] != "" {
			c.fail("%v: no live upstreams while an attempt is running", e.Request)
		}
	}
}

func (c *propertyChecks) started(e event.Event) {
	if c.running[e.Request] != "" {
		c.fail("%v: two attempts at a time", e.Request)
	}
	c.running[e.Request] = e.Peer
	times := 0
	for _, p := range c.tried[e.Request] {
		if p == e.Peer {
			times++
		}
	}
	n, failTimeout := c.count(e.Peer)
	if times >= n && !c.single() {
		c.fail("%v: %s is tried twice", e.Request, e.Peer)
	}
	c.tried[e.Request] = append(c.tried[e.Request], e.Peer)
	if len(c.tried[e.Request]) != e.Try {
		c.fail("%v: attempt %d has number %d", e.Request, len(c.tried[e.Request]), e.Try)
	}
	// Out for longer than fail_timeout, in whole seconds, and back at the latest
	// a second later: the second half is TestOutTime's.
	if at, ok := c.marks[e.Peer]; ok && n == 1 {
		if e.At-at <= failTimeout {
			c.fail("%s is tried %v after its mark, fail_timeout is %v", e.Peer, e.At-at, failTimeout)
		}
		delete(c.marks, e.Peer)
	}
}

// state checks what holds at any time.
func (c *propertyChecks) state(t *rapid.T, peers []upstream.PeerState) {
	for i, p := range peers {
		s := c.group.Servers[i]
		if p.Conns < 0 || s.MaxConns > 0 && p.Conns > s.MaxConns {
			t.Fatalf("%s has %d connections, max_conns is %d", p.Name, p.Conns, s.MaxConns)
		}
		if p.Effective < 0 || p.Effective > s.Weight {
			t.Fatalf("%s has effective weight %d of %d", p.Name, p.Effective, s.Weight)
		}
		if s.Down && (p.Conns != 0 || p.Checked >= 0) {
			t.Fatalf("%s is down and was picked", p.Name)
		}
	}
	// Every pick gives out as much as it takes back, so each half sums up to 0.
	sums := map[bool]int{}
	for i, p := range peers {
		sums[c.group.Servers[i].Backup] += p.Current
	}
	if sums[false] != 0 || sums[true] != 0 {
		t.Fatalf("current weights sum up to %d and %d, not 0", sums[false], sums[true])
	}
}

// idle checks what holds when nothing is in flight.
func (c *propertyChecks) idle(t *rapid.T, peers []upstream.PeerState) {
	for _, p := range peers {
		if p.Conns != 0 {
			t.Fatalf("%s has %d connections although nothing is in flight", p.Name, p.Conns)
		}
	}
}
