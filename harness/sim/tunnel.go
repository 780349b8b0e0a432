package sim

import (
	"strings"

	"github.com/nolive/nolive/harness/event"
)

// asksToUpgrade says whether the client wants another protocol: nginx passes a 101
// on as one only then (ngx_http_proxy_process_header).
func (f *flight) asksToUpgrade() bool {
	for _, h := range f.t.plan.Spec.Headers {
		if strings.EqualFold(h.Name, "Upgrade") {
			return true
		}
	}
	return false
}

// tunnel finds the end of a connection that has become another protocol's. The
// client says nothing and leaves only when its patience is over, so it ends with
// the backend, or when nothing has come for the read time-out. Either way the
// response was passed on (ngx_http_upstream_process_upgraded).
func (s *Sim) tunnel(f *flight) {
	f.upgraded = true
	timeout := f.trip.Step.Pass.ReadTimeout
	f.read.Add(s.now, timeout)
	for _, v := range f.sights {
		if v.At < s.now {
			continue
		}
		if v.At > f.read.At() {
			break
		}
		f.read.Add(v.At, timeout)
		if v.End != 0 {
			s.due(f, v.At, doEnd, event.Passed)
			return
		}
	}
	s.due(f, f.read.At(), doEnd, event.Passed)
}
