package fault

// HangSpec is `hang: {at, bytes, share, ...}`: the backend stops where it is, and
// keeps the connection open without a word more. By default it has read the
// request and sent nothing.
type HangSpec struct {
	CutSpec `yaml:",inline"`
}

// Fault returns the hang; the error names the field that is wrong.
func (s *HangSpec) Fault() (Fault, error) { return s.cut("hang", Stall) }
