package fault

import (
	"path"
	"strings"
	"time"
)

// Rule is one entry of a backend's list: the first whose When matches decides.
type Rule struct {
	When When
	Do   Fault
}

// When selects exchanges. The zero value matches everything; every field that
// is set must hold.
type When struct {
	// Method is matched exactly, Path as a glob in which * matches within one
	// segment, or everything at the end of the pattern ("/reports/*").
	Method string
	Path   string
	// Header maps a header name (any case) to a glob on its value.
	Header map[string]string
	// From and Until bound a window of scenario time [From, Until); Until 0 is
	// the end of the run.
	From, Until time.Duration
	// Request selects by the number of the request on this backend, from 1;
	// zero values mean any. Every is "each n-th".
	Request Range
	Every   int
	// Connection is the number of the connection on this backend, Exchange the
	// number of the request on its connection, both from 1.
	Connection Range
	Exchange   Range
	// Share is a probability in (0, 1), 0 for always: a draw keyed by seed,
	// backend and request, so every engine takes the same requests.
	Share float64
}

// Range is an inclusive range of counts; the zero value is any, and To 0 with
// From set is open-ended.
type Range struct{ From, To int }

// Has says whether n lies in the range.
func (r Range) Has(n int) bool {
	return n >= r.From && (r.To == 0 || n <= r.To)
}

// Exchange is what a rule may look at: one request as a backend meets it.
type Exchange struct {
	Method string
	Path   string
	// Header returns a header's value, "" when absent. nil means no header.
	Header func(name string) string
	// At is when the request arrived, in scenario time.
	At time.Duration
	// Request, Connection and Exchange are the numbers of When.
	Request, Connection, Exchange int
	// Draw is a number in [0, 1) keyed by seed, backend, rule and client
	// request; it is called only when a share is asked for.
	Draw func(rule int) float64
}

// Matches says whether the exchange is selected; index is the rule's place in
// its list, for the draw.
func (w *When) Matches(x *Exchange, index int) bool {
	switch {
	case w.Method != "" && w.Method != x.Method,
		w.Path != "" && !MatchPath(w.Path, x.Path),
		!w.Open(x.At),
		!w.Request.Has(x.Request),
		w.Every > 1 && x.Request%w.Every != 0,
		!w.Connection.Has(x.Connection),
		!w.Exchange.Has(x.Exchange):
		return false
	}
	for name, glob := range w.Header {
		if x.Header == nil || !MatchPath(glob, x.Header(name)) {
			return false
		}
	}
	return w.Share == 0 || x.Draw(index) < w.Share
}

// Open says whether the rule's window is open at t.
func (w *When) Open(t time.Duration) bool {
	return t >= w.From && (w.Until == 0 || t < w.Until)
}

// OnlyWindow says whether the rule selects by time alone, so that it can be
// applied to a backend as a whole.
func (w *When) OnlyWindow() bool {
	return w.Method == "" && w.Path == "" && len(w.Header) == 0 && w.Request == (Range{}) &&
		w.Every == 0 && w.Connection == (Range{}) && w.Exchange == (Range{}) && w.Share == 0
}

// MatchPath matches a glob against a request path without its query. A * at
// the end of the pattern matches the rest, slashes included.
func MatchPath(glob, p string) bool {
	p, _, _ = strings.Cut(p, "?")
	if prefix, ok := strings.CutSuffix(glob, "*"); ok && !strings.ContainsAny(prefix, "*?[\\") {
		return strings.HasPrefix(p, prefix)
	}
	ok, err := path.Match(glob, p)
	return err == nil && ok
}

// Rules is a backend's list of rules.
type Rules []Rule

// Pick returns the fault for an exchange: that of the first rule that matches
// and isn't a door, else Healthy. atAccept asks only for rules that act before
// a request is read.
func (rs Rules) Pick(x *Exchange) *Fault {
	for i := range rs {
		if r := &rs[i]; r.Do.Door == Open && r.Do.AtAccept == 0 && r.When.Matches(x, i) {
			return &r.Do
		}
	}
	return &healthy
}

// AtAccept returns what happens to a connection as soon as it is accepted: 0,
// Close or Reset. Only At, Connection and Draw of x are looked at.
func (rs Rules) AtAccept(x *Exchange) Op {
	for i := range rs {
		if r := &rs[i]; r.Do.AtAccept != 0 && r.When.Matches(x, i) {
			return r.Do.AtAccept
		}
	}
	return 0
}

// Door returns the state of the backend's door at t.
func (rs Rules) Door(t time.Duration) Door {
	for i := range rs {
		if r := &rs[i]; r.Do.Door != Open && r.When.Open(t) {
			return r.Do.Door
		}
	}
	return Open
}

// DoorChange is an instant at which a backend's door changes.
type DoorChange struct {
	At   time.Duration
	Door Door
}

// DoorChanges returns the door's state at 0 and every change after it, in order.
func (rs Rules) DoorChanges() []DoorChange {
	edges := []time.Duration{0}
	for i := range rs {
		if w := rs[i].When; rs[i].Do.Door != Open {
			edges = append(edges, w.From)
			if w.Until > 0 {
				edges = append(edges, w.Until)
			}
		}
	}
	return changes(edges, rs.Door)
}
