package check

import (
	"fmt"
	"strings"
	"time"
)

// Window is `during: 60s..120s`: the scenario time [From, To). The zero value
// is the whole run, and To 0 with From set ("60s..") is open-ended.
//
// A request belongs to the window in which it was sent, an attempt to the one
// in which it was started, a stretch out of rotation to the one in which it
// began. So every thing lies in one window only, and on every engine in the same.
type Window struct{ From, To time.Duration }

// Has says whether t lies in the window.
func (w Window) Has(t time.Duration) bool { return t >= w.From && (w.To == 0 || t < w.To) }

// Whole says whether the window is the whole run.
func (w Window) Whole() bool { return w == Window{} }

// String is the window as one would write it, "" for the whole run.
func (w Window) String() string {
	switch {
	case w.Whole():
		return ""
	case w.To == 0:
		return written(w.From) + ".."
	}
	return written(w.From) + ".." + written(w.To)
}

// ParseWindow is the inverse of String.
func ParseWindow(text string) (Window, error) {
	lo, hi, ok := strings.Cut(strings.TrimSpace(text), "..")
	if !ok {
		return Window{}, fmt.Errorf("%q is no window: write it as 60s..120s", text)
	}
	var w Window
	var err error
	if w.From, err = parseDuration(lo); err != nil {
		return Window{}, err
	}
	if strings.TrimSpace(hi) == "" && w.From > 0 {
		return w, nil
	}
	if w.To, err = parseDuration(hi); err != nil {
		return Window{}, err
	}
	if w.From >= w.To {
		return Window{}, fmt.Errorf("the window %s..%s never opens", written(w.From), written(w.To))
	}
	return w, nil
}

// UnmarshalText is ParseWindow.
func (w *Window) UnmarshalText(text []byte) (err error) {
	*w, err = ParseWindow(string(text))
	return err
}

// Instant is `at: 60s`, a point of scenario time that may be left out.
type Instant struct {
	T   time.Duration
	Set bool
}

// At is the instant t.
func At(t time.Duration) Instant { return Instant{T: t, Set: true} }

// UnmarshalText reads a duration since the run's origin.
func (i *Instant) UnmarshalText(text []byte) error {
	t, err := parseDuration(string(text))
	*i = Instant{T: t, Set: err == nil}
	return err
}

func parseDuration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if _, err := Seconds.parse(text); err != nil {
		return 0, err
	}
	return time.ParseDuration(text)
}
