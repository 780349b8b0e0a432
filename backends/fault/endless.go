package fault

import (
	"fmt"
	"time"
)

// EndlessSpec is `endless: {every, bytes, ...}`: a body that never ends, as a log
// that is followed or a stream of events. No read of the proxy is long without a
// byte, so only whoever asked can end it. After almost three hours at the earliest,
// longer than anybody waits, the connection is closed.
type EndlessSpec struct {
	// Every is the time between two pieces, 10ms to 1h; default 1s.
	Every time.Duration `yaml:"every"`
	// Bytes of a piece, up to 64KiB; default 1KiB.
	Bytes Size `yaml:"bytes"`

	RespondSpec `yaml:",inline"`
}

// Scalar takes the short form: the time between two pieces.
func (s *EndlessSpec) Scalar(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("endless: %q is no duration, as 250ms or 2s", text)
	}
	s.Every = d
	return nil
}

// Fault returns the answer; the error names the field that is wrong. Its body is
// chunked unless framing says otherwise.
func (s *EndlessSpec) Fault() (Fault, error) {
	every, piece := s.Every, s.Bytes
	if every == 0 {
		every = time.Second
	}
	if piece == 0 {
		piece = 1 << 10
	}
	switch {
	case every < 10*time.Millisecond || every > time.Hour:
		return Fault{}, fmt.Errorf("every: %v is not in 10ms..1h", every)
	case piece < 1 || piece > 64<<10:
		return Fault{}, fmt.Errorf("bytes: %s is not in 1..64KiB", piece)
	case s.Body != "" || s.Size != 0 || s.Length != 0:
		return Fault{}, fmt.Errorf("body: one that never ends has no size; give every and bytes")
	case s.Rate != 0 || s.Chunk != 0:
		return Fault{}, fmt.Errorf("rate: the pieces have their own pace; give every and bytes")
	case len(s.Trailers) > 0:
		return Fault{}, fmt.Errorf("trailers: they would come behind a body that never ends")
	case s.Then != "":
		return Fault{}, fmt.Errorf("then: nothing comes after a body that never ends")
	case bodyless(s.status()):
		return Fault{}, fmt.Errorf("status: a response with status %d has no body", s.Status)
	}
	r := s.RespondSpec
	// One piece more than goes out, so that the end doesn't.
	r.Size = (maxPieces + 1) * piece
	onWire := int64(piece)
	switch r.Framing {
	case "":
		r.Framing = "chunked"
		fallthrough
	case "chunked":
		r.Chunk = piece
		onWire = (&Chunks{}).frame(int64(piece))
	case "length":
		r.Length = maxSize
	}
	f, err := r.fault("endless")
	if err != nil {
		return Fault{}, err
	}
	sc := &f.Script
	sc.Endless = every
	sc.Steps = splice(sc.Steps, []Step{
		{Op: Write, Len: int64(len(sc.Response.Head))},
		{Op: Write, Len: maxPieces * onWire, Chunk: onWire, For: every},
		{Op: Close},
	})
	if last := len(sc.Steps) - 1; sc.Steps[last-1].Op == Close {
		sc.Steps = sc.Steps[:last] // the framing closes too
	}
	return f, nil
}

// Within returns a script without what it does later than d after its first piece:
// nobody is there any more to see it. Only one that never ends is changed.
func (s *Script) Within(d time.Duration) *Script {
	if s.Endless == 0 || s.Response.Body.Size == 0 {
		return s
	}
	out := *s
	out.Steps = nil
	for _, st := range s.Steps {
		if st.Op == Write && st.Chunk > 0 {
			st.Len = min(st.Len, (int64(d/s.Endless)+2)*st.Chunk)
			return &Script{Name: s.Name, Response: s.Response, Endless: s.Endless, Steps: append(out.Steps, st, Step{Op: Stall})}
		}
		out.Steps = append(out.Steps, st)
	}
	return s
}
