package harness

import (
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// arrivals are the requests of a plan as the model has to know them.
type arrivals struct {
	traffic map[string]*plan.Traffic
	known   map[sender]upstream.Arrival
	nginx   *nginxconf.Config
}

// sender is what requests that are alike have in common.
type sender struct {
	traffic string
	from    scenario.Address
}

func newArrivals(s *scenario.Scenario, seed uint64) *arrivals {
	a := &arrivals{map[string]*plan.Traffic{}, map[sender]upstream.Arrival{}, s.Nginx}
	p := plan.New(s, seed)
	for i := range p.Traffic {
		t := &p.Traffic[i]
		a.traffic[t.Spec.Name] = t
	}
	return a
}

// of is a request's arrival; that of a request which isn't the plan's is empty.
func (a *arrivals) of(r event.Request) upstream.Arrival {
	t := a.traffic[r.Traffic]
	if t == nil || r.N < 1 {
		return upstream.Arrival{}
	}
	who := sender{r.Traffic, t.Address(r.N)}
	out, ok := a.known[who]
	if !ok {
		out = a.arrival(t.Spec, who.from)
		a.known[who] = out
	}
	return out
}

func (a *arrivals) arrival(t *scenario.Traffic, from scenario.Address) upstream.Arrival {
	out := upstream.Arrival{Method: t.Method}
	if _, l := a.nginx.Route(t.To, t.Path); l != nil && l.Pass != nil {
		f := t.Facts(from, l.Pass)
		out.Policy = l.Pass.Policy
		out.ClientAddr, out.Key = f.Client.Binary, l.Pass.Upstream.Key.Value(&f)
	}
	return out
}
