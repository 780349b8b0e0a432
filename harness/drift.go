package harness

import (
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
)

// drift is what the small latenesses of one user add up to who asks again and again,
// each time a pause after the answer: ten requests that take a tenth of a second more
// than the quickest are a second later in the end. It is the largest of all traffics of
// a single user; those of several don't wait for each other.
func drift(p *plan.Plan, events []event.Event) time.Duration {
	alone := map[string]*user{}
	for i := range p.Traffic {
		if t := &p.Traffic[i]; !t.Open() && t.Users() == 1 {
			alone[t.Spec.Name] = &user{traffic: t, tries: map[int]int{}, quickest: map[int]time.Duration{}}
		}
	}
	for _, e := range events {
		if u := alone[e.Request.Traffic]; u != nil {
			u.see(e)
		}
	}
	most := time.Duration(0)
	for _, u := range alone {
		most = max(most, u.late())
	}
	return most
}

// user is one that asks alone.
type user struct {
	traffic *plan.Traffic
	sent    time.Duration
	ended   time.Duration // of the request before, and which one that was
	n       int
	waited  time.Duration // for sends that were late
	took    []took
	tries   map[int]int // attempts, by request
	// quickest is the shortest that a request with so many attempts took.
	quickest map[int]time.Duration
}

type took struct {
	n  int
	in time.Duration
}

func (u *user) see(e event.Event) {
	switch e.Kind {
	case event.RequestSent:
		if u.n > 0 && e.Request.N == u.n+1 {
			u.waited += max(e.At-u.ended-u.traffic.Pause(1, u.n), 0)
		}
		u.sent = e.At
	case event.AttemptStarted:
		u.tries[e.Request.N]++
	case event.ResponseEnded:
		u.took = append(u.took, took{e.Request.N, e.At - u.sent})
		u.ended, u.n = e.At, e.Request.N
	}
}

func (u *user) late() time.Duration {
	for _, t := range u.took {
		n := u.tries[t.n]
		if q, ok := u.quickest[n]; !ok || t.in < q {
			u.quickest[n] = t.in
		}
	}
	sum := u.waited
	for _, t := range u.took {
		sum += t.in - u.quickest[u.tries[t.n]]
	}
	return sum
}
