package fault

// BlackholeSpec is `blackhole`: a host that is gone. Connects are not answered
// at all and open connections stand still.
type BlackholeSpec struct{}

// Fault returns the door; it never fails.
func (*BlackholeSpec) Fault() (Fault, error) { return Fault{Door: Blackholed}, nil }
