package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// Who made an error: one 502 looks like the other to a client, and a backend's own
// says nothing of the proxy. An outcome of the last attempt is a reason too.
const (
	noLive   = "no live upstreams"
	byServer = "by a backend itself"
	byProxy  = "by the proxy itself"
)

// isError says whether the client got a whole response with an error status.
func isError(x *analysis.Exchange) bool { return x.Outcome == event.Passed && x.Status >= 400 }

// origin is the reason of an error.
func origin(x *analysis.Exchange) string {
	if turnedAway(x) {
		return noLive
	}
	if len(x.Attempts) == 0 {
		return byProxy
	}
	switch last := &x.Attempts[len(x.Attempts)-1]; {
	case own(x, last):
		return byServer
	case last.Outcome == event.Passed, last.Outcome == 0:
		return byProxy
	default:
		return last.Outcome.String()
	}
}

// turnedAway says whether "no live upstreams" was the last that happened to a
// request. After it an error page may ask another upstream; an attempt of the same
// instant that failed came before it.
func turnedAway(x *analysis.Exchange) bool {
	if !x.NoLive || len(x.Attempts) == 0 {
		return x.NoLive
	}
	last := &x.Attempts[len(x.Attempts)-1]
	return last.Started <= x.NoLiveAt && !own(x, last)
}

// own says whether the client got what this attempt brought.
func own(x *analysis.Exchange, a *analysis.Attempt) bool {
	return a.Outcome == event.Relayed || a.Outcome == event.Passed && a.Status == x.Status
}

// history is how a request came to its error: "after app1:8080 refused, no live
// upstreams", "by app2:8080 itself".
func history(x *analysis.Exchange) string {
	var before []string
	by := ""
	for i := range x.Attempts {
		a := &x.Attempts[i]
		switch last := i == len(x.Attempts)-1; {
		case last && own(x, a):
			by = "by " + a.Peer + " itself"
		case a.Outcome == 0:
			before = append(before, a.Peer+" without an end")
		default:
			before = append(before, a.Peer+" "+a.Outcome.String())
		}
	}
	switch origin(x) {
	case noLive:
		before = append(before, noLive)
	case byProxy:
		by = byProxy
	}
	if len(before) == 0 {
		return by
	}
	text := "after " + strings.Join(before, ", ")
	if by != "" {
		text += ", " + by
	}
	return text
}

// origins counts errors by their reason.
type origins []originCount

type originCount struct {
	reason string
	n      int
}

func (o *origins) add(x *analysis.Exchange) {
	if !isError(x) {
		return
	}
	reason := origin(x)
	for i := range *o {
		if (*o)[i].reason == reason {
			(*o)[i].n++
			return
		}
	}
	*o = append(*o, originCount{reason, 1})
}

// String is "3 no live upstreams, 1 reset", of one reason the reason alone, "" without
// errors.
func (o origins) String() string {
	if len(o) == 1 {
		return o[0].reason
	}
	list := slices.Clone(o)
	slices.SortFunc(list, func(a, b originCount) int {
		return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.reason, b.reason))
	})
	var parts []string
	for _, c := range list {
		parts = append(parts, fmt.Sprintf("%d %s", c.n, c.reason))
	}
	return strings.Join(parts, ", ")
}
