package fault

import (
	"bytes"
	"fmt"
	"time"
)

// KeepaliveSpec is `keepalive: {idle, requests, silent, with}`: how long a
// connection is kept between requests.
type KeepaliveSpec struct {
	// Idle is how long an idle connection stays open, from the end of the
	// response; default for ever.
	Idle time.Duration `yaml:"idle"`
	// Requests is how many requests a connection serves; default any number.
	Requests int `yaml:"requests"`
	// Silent leaves the last answer without its "Connection: close", so that
	// nobody knows that the connection is about to go.
	Silent bool `yaml:"silent"`
	// With is how the connection ends: "fin" (the default) or "reset".
	With string `yaml:"with" jsonschema:"enum=fin,enum=reset"`
}

// Scalar takes the short form: the idle time alone.
func (s *KeepaliveSpec) Scalar(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("keepalive: %q is no duration, as 5s", text)
	}
	s.Idle = d
	return nil
}

// Fault returns the limits; the error names the field that is wrong.
func (s *KeepaliveSpec) Fault() (Fault, error) {
	k := &Keep{Idle: s.Idle, Requests: s.Requests, Silent: s.Silent}
	switch {
	case s.Idle == 0 && s.Requests == 0:
		return Fault{}, fmt.Errorf("idle: missing, as in {keepalive: {idle: 5s}}, or give requests")
	case s.Requests < 0:
		return Fault{}, fmt.Errorf("requests: %d is less than 1", s.Requests)
	case s.Silent && s.Requests == 0:
		return Fault{}, fmt.Errorf("silent: only with requests; an idle connection has nothing to say")
	}
	if err := checkSpan("idle", s.Idle); err != nil {
		return Fault{}, err
	}
	var err error
	k.End, err = ending(s.With)
	return Fault{Keep: k}, err
}

// ending is the operation that a word for the end of a connection means.
func ending(with string) (Op, error) {
	switch with {
	case "", "fin":
		return Close, nil
	case "reset":
		return Reset, nil
	}
	return 0, fmt.Errorf("with: %q is neither fin nor reset", with)
}

// Keep says how long a backend keeps a connection between requests.
type Keep struct {
	// Idle is the time from the end of a response to the connection's end, 0 for ever.
	Idle time.Duration
	// Requests is how many requests a connection serves, 0 for any number.
	Requests int
	// Silent is true when the last answer doesn't say that it is.
	Silent bool
	// End is Close or Reset.
	End Op
}

// Limit returns the script as it is played for the n-th request of a connection:
// the last one that the connection serves also ends it.
func (k *Keep) Limit(s *Script, n int) *Script {
	if k == nil || k.Requests == 0 || n < k.Requests || !s.Keeps() {
		return s
	}
	last := *s
	last.Steps = append(append([]Step{}, s.Steps...), Step{Op: k.End})
	if head, ok := bytes.CutSuffix(s.Response.Head, []byte("\r\n\r\n")); ok && !k.Silent {
		last.Response.Head = append(append([]byte{}, head...), "\r\nConnection: close\r\n\r\n"...)
		for i, st := range last.Steps {
			// A step that stops at the end of the head still does.
			if st.Op == Write && st.Len == int64(len(s.Response.Head)) {
				last.Steps[i].Len = int64(len(last.Response.Head))
			}
		}
	}
	return &last
}

// Until adds to what the other side sees of a script the end of the connection
// that idled afterwards.
func (k *Keep) Until(sights []Sight, s *Script, thaw func(time.Duration) (time.Duration, bool)) []Sight {
	if k == nil || k.Idle == 0 || !s.Keeps() || len(sights) == 0 {
		return sights
	}
	last := sights[len(sights)-1]
	if at, ok := thaw(last.At + k.Idle); ok && last.Bytes == s.Response.Size() {
		sights = append(sights, Sight{At: at, Bytes: last.Bytes, End: k.End})
	}
	return sights
}

// Last adds to what the other side sees of a script the end of a connection whose
// request said that it was the last one.
func (s *Script) Last(sights []Sight) []Sight {
	if n := len(sights); n > 0 && s.Keeps() && sights[n-1].End == 0 && sights[n-1].Bytes == s.Response.Size() {
		sights = append(sights, Sight{At: sights[n-1].At, Bytes: sights[n-1].Bytes, End: Close})
	}
	return sights
}

// Keeps says whether the connection can take another request after the script.
func (s *Script) Keeps() bool { return !s.final() && s.Response.End() >= 0 }
