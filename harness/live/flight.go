package live

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// MaxOutstanding is how many requests of a run may be under way at once. nginx
// by default has 512 connections a worker, two for a request; the reference
// proxy in our own process needs four descriptors a request.
const MaxOutstanding = 4096

// flight knows the requests that are under way and who still waits to send.
type flight struct {
	mu   sync.Mutex
	open map[*outstanding]struct{}
	// waiting counts the loops that wait for the instant of their next send.
	waiting int
	// last is when a request last began or ended.
	last   time.Duration
	halted bool
	limit  int
	// refused and cut are set once a client found nobody, or got no answer
	// because the connection ended: reasons to ask whether the proxy is there.
	refused, cut bool
	// deserted are the requests that the proxy got and whose clients have left.
	deserted []event.Request
}

// outstanding is one request that is under way.
type outstanding struct {
	request event.Request
	sent    time.Duration // as planned
	late    time.Duration // how much later it really was
	conn    net.Conn
	asked   bool // it was sent, over HTTP
}

func newFlight(limit int) *flight {
	return &flight{open: make(map[*outstanding]struct{}), limit: limit}
}

// begin notes a request; nil when the limit is reached.
func (f *flight) begin(r event.Request, at time.Duration) *outstanding {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open) >= f.limit {
		return nil
	}
	o := &outstanding{request: r, sent: at}
	f.open[o] = struct{}{}
	f.last = max(f.last, at)
	return o
}

// attach notes the connection that a request now uses, so that halt can end it.
func (f *flight) attach(o *outstanding, c net.Conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o.conn = c; f.halted && c != nil {
		_ = c.SetDeadline(past)
	}
}

// end forgets a request.
func (f *flight) end(o *outstanding, at time.Duration, out event.Outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, o)
	f.last = max(f.last, at)
	f.refused = f.refused || out == event.ClientRefused
	f.cut = f.cut || out == event.Closed
	if o.asked && out == event.ClientTimeout {
		f.deserted = append(f.deserted, o.request)
	}
}

// wait counts a loop that waits for its next send (+1), or no longer does (-1).
func (f *flight) wait(by int) {
	f.mu.Lock()
	f.waiting += by
	f.mu.Unlock()
}

// past is a deadline that has passed.
var past = time.Unix(1, 0)

// halt makes every read and write of the clients fail from now on.
func (f *flight) halt() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.halted = true
	for o := range f.open {
		if o.conn != nil {
			_ = o.conn.SetDeadline(past)
		}
	}
}

// takeRefused says whether a client found nobody since it was last asked.
func (f *flight) takeRefused() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.refused
	f.refused = false
	return r
}

// takeMissed says whether a client found nobody or was cut off.
func (f *flight) takeMissed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.refused || f.cut
	f.refused, f.cut = false, false
	return m
}

// stuck says what the run still waits for, once nobody is left who will send
// anything and no request has begun or ended for longer than patience.
func (f *flight) stuck(now, patience time.Duration) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting > 0 || len(f.open) == 0 || now-f.last <= patience {
		return ""
	}
	list := make([]*outstanding, 0, len(f.open))
	for o := range f.open {
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b *outstanding) int {
		return cmp.Or(cmp.Compare(a.sent, b.sent), strings.Compare(a.request.Traffic, b.request.Traffic),
			cmp.Compare(a.request.N, b.request.N))
	})
	const shown = 3
	var b strings.Builder
	b.WriteString("still waiting for ")
	for i, o := range list[:min(shown, len(list))] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (sent at %v)", o.request, o.sent.Round(time.Millisecond))
	}
	if n := len(list) - shown; n > 0 {
		fmt.Fprintf(&b, " and %d more", n)
	}
	fmt.Fprintf(&b, " after %v without an answer", (now - f.last).Round(time.Second))
	return b.String()
}

// left are the requests so far that the proxy got and whose clients have left.
func (f *flight) left() []event.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.deserted)
}
