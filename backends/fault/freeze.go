package fault

// FreezeSpec is `freeze`: a stopped process, as after SIGSTOP. The kernel still
// completes connects; nothing is read or answered until the window ends.
type FreezeSpec struct{}

// Fault returns the door; it never fails.
func (*FreezeSpec) Fault() (Fault, error) { return Fault{Door: Frozen}, nil }
