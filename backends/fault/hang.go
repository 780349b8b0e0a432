package fault

// HangSpec is `hang`: the backend reads the request and never answers.
type HangSpec struct{}

// Fault returns the hang; it never fails.
func (*HangSpec) Fault() (Fault, error) {
	return Fault{Script: Script{Name: "hang", Steps: []Step{{Op: ReadAll}, {Op: Stall}}}}, nil
}
