package fault

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// When selects exchanges. The zero value matches everything; every field that
// is set must hold.
type When struct {
	// Method is matched exactly, Path as a glob (MatchPath).
	Method string
	Path   string
	// Header maps a header name (any case) to a glob on its value (MatchText).
	// "*" wants some value; "" wants none, which is also how an absent header looks.
	Header map[string]string
	// From and Until bound a window of scenario time [From, Until); Until 0 is
	// the end of the run.
	From, Until time.Duration
	// Lasts is how long the window stays open from From on, 0 as long as Until
	// says; Repeats is after how long it opens again, 0 for never.
	Lasts, Repeats time.Duration
	// Request selects by the number of the request on this backend, from 1;
	// zero values mean any. Every is "each n-th" of these same numbers.
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

func (r Range) validate(field string) error {
	if r.From < 0 || r.To < 0 || r.To != 0 && r.To < r.From {
		return fmt.Errorf("%s: %d..%d holds no number from 1 on", field, r.From, r.To)
	}
	return nil
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
		value := ""
		if x.Header != nil {
			value = x.Header(name)
		}
		if (glob == "") != (value == "") || !MatchText(glob, value) {
			return false
		}
	}
	return w.Share == 0 || x.Draw(index) < w.Share
}

// Open says whether the rule's window is open at t.
func (w *When) Open(t time.Duration) bool {
	if t < w.From || w.Until != 0 && t >= w.Until {
		return false
	}
	return w.Lasts == 0 || w.since(t) < w.Lasts
}

// since is how long ago the window opened last before t.
func (w *When) since(t time.Duration) time.Duration {
	if t -= w.From; w.Repeats > 0 {
		t %= w.Repeats
	}
	return t
}

// maxOpenings bounds how often a window of the whole backend opens.
const maxOpenings = 10_000

// edges are the instants at which the window opens and closes.
func (w *When) edges() []time.Duration {
	if w.Lasts == 0 {
		if w.Until == 0 {
			return []time.Duration{w.From}
		}
		return []time.Duration{w.From, w.Until}
	}
	var out []time.Duration
	for t := w.From; ; t += w.Repeats {
		out = append(out, t)
		end := t + w.Lasts
		if w.Until != 0 && end >= w.Until {
			return append(out, w.Until)
		}
		if out = append(out, end); w.Repeats == 0 || w.Until != 0 && t+w.Repeats >= w.Until || len(out) > 2*maxOpenings {
			return out
		}
	}
}

// OnlyWindow says whether the rule selects by time alone, so that it can be
// applied to a backend as a whole.
func (w *When) OnlyWindow() bool { return len(w.selectors()) == 0 }

// selectors names, as a scenario does, what the rule looks at beside the time.
func (w *When) selectors() []string {
	var out []string
	for _, s := range []struct {
		name string
		set  bool
	}{
		{"method", w.Method != ""},
		{"path", w.Path != ""},
		{"header", len(w.Header) > 0},
		{"request", w.Request != Range{}},
		{"every", w.Every != 0},
		{"connection", w.Connection != Range{}},
		{"exchange", w.Exchange != Range{}},
		{"share", w.Share != 0},
	} {
		if s.set {
			out = append(out, s.name)
		}
	}
	return out
}

// validate says which field can't be meant.
func (w *When) validate() error {
	if w.Path != "" && !strings.HasPrefix(w.Path, "/") && !strings.HasPrefix(w.Path, "*") {
		return fmt.Errorf("path: %q begins with neither / nor *, so it matches nothing", w.Path)
	}
	if strings.Contains(w.Path, "?") {
		return fmt.Errorf("path: %q has a query, which isn't compared", w.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(w.Header)) {
		if !IsToken(name) {
			return fmt.Errorf("header: %q is no header name", name)
		}
	}
	if err := checkSpan("from", w.From); err != nil {
		return err
	}
	if err := checkSpan("until", w.Until); err != nil {
		return err
	}
	if w.Until != 0 && w.Until <= w.From {
		return fmt.Errorf("until: the window from %v to %v never opens", w.From, w.Until)
	}
	if err := checkSpan("lasts", w.Lasts); err != nil {
		return err
	}
	if err := checkSpan("repeats", w.Repeats); err != nil {
		return err
	}
	switch {
	case w.Repeats != 0 && w.Lasts == 0:
		return fmt.Errorf("repeats: how long does the window stay open? say lasts too")
	case w.Repeats != 0 && w.Lasts >= w.Repeats:
		return fmt.Errorf("lasts: a window that repeats every %v and lasts %v never closes", w.Repeats, w.Lasts)
	}
	if w.Every < 0 {
		return fmt.Errorf("every: %d is less than 1", w.Every)
	}
	if !(w.Share >= 0 && w.Share < 1) {
		return fmt.Errorf("share: %v is not between 0 and 1", w.Share)
	}
	if err := w.Request.validate("request"); err != nil {
		return err
	}
	if w.Every > 1 && w.Request.To != 0 && w.Request.To/w.Every*w.Every < max(w.Request.From, 1) {
		return fmt.Errorf("every: no %d-th request lies in %d..%d", w.Every, w.Request.From, w.Request.To)
	}
	if err := w.Connection.validate("connection"); err != nil {
		return err
	}
	return w.Exchange.validate("exchange")
}
