package fault

// RefuseSpec is `refuse`: nobody listens on the port. Connects are refused and
// open connections closed, as when the process ended.
type RefuseSpec struct{}

// Fault returns the door; it never fails.
func (*RefuseSpec) Fault() (Fault, error) { return Fault{Door: Refusing}, nil }
