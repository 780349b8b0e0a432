package fault

// CloseSpec is `close: {at, bytes, share, after, pause, ...}`: the connection is
// closed in the orderly way (FIN) before the response is complete.
type CloseSpec struct {
	CutSpec `yaml:",inline"`
}

// Fault returns the premature close; the error names the field that is wrong.
func (s *CloseSpec) Fault() (Fault, error) { return s.cut("close", Close) }
