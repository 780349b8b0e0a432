package fault

import (
	"maps"
	"reflect"
	"strings"
)

// Covers says whether w selects everything that o selects, so that a rule with o
// behind one with w is never reached. It may miss a case, but is never wrong: a
// selector it doesn't know makes it say no.
func (w *When) Covers(o *When) bool {
	rest := *w
	if w.Method == o.Method {
		rest.Method = ""
	}
	if w.Path == o.Path || !strings.Contains(o.Path, "*") && o.Path != "" && MatchPath(w.Path, o.Path) {
		rest.Path = ""
	}
	if w.From <= o.From {
		rest.From = 0
	}
	if w.Until > 0 && o.Until > 0 && o.Until <= w.Until {
		rest.Until = 0
	}
	if len(w.Header) == 0 || maps.Equal(w.Header, o.Header) {
		rest.Header = nil
	}
	if w.Request.covers(o.Request) {
		rest.Request = Range{}
	}
	if w.Every <= 1 || o.Every > 0 && o.Every%w.Every == 0 {
		rest.Every = 0
	}
	if w.Connection.covers(o.Connection) {
		rest.Connection = Range{}
	}
	if w.Exchange.covers(o.Exchange) {
		rest.Exchange = Range{}
	}
	return reflect.DeepEqual(rest, When{})
}

// covers says whether every number of o is one of r's.
func (r Range) covers(o Range) bool {
	return max(r.From, 1) <= max(o.From, 1) && (r.To == 0 || o.To != 0 && o.To <= r.To)
}

// Shadowed returns, for rule i, the place in the list of an earlier rule that
// takes everything first; -1 when there is none.
func (rs Rules) Shadowed(i int) int {
	for j := range i {
		if rs[j].Do.Layer() == rs[i].Do.Layer() && rs[j].When.Covers(&rs[i].When) {
			return j
		}
	}
	return -1
}

// IndexOf is the place in the list of the rule whose fault f is, as Pick and its
// like return it; -1 when it is no rule's.
func (rs Rules) IndexOf(f *Fault) int {
	for i := range rs {
		if f == &rs[i].Do {
			return i
		}
	}
	return -1
}
