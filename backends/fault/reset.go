package fault

// ResetSpec is `reset: {at, bytes, share, after, pause, ...}`: the connection is
// cut with RST, as when a process dies with unread data.
type ResetSpec struct {
	CutSpec `yaml:",inline"`
}

// Fault returns the cut; the error names the field that is wrong.
func (s *ResetSpec) Fault() (Fault, error) { return s.cut("reset", Reset) }
