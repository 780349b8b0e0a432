package fault

// ShutdownSpec is `shutdown`: a process that ends gracefully. The listener is
// closed, so what waits in its accept queue is reset and connects are refused;
// idle connections are closed, and those with a request once it is answered.
type ShutdownSpec struct{}

// Fault returns the door; it never fails.
func (*ShutdownSpec) Fault() (Fault, error) { return Fault{Door: Stopping}, nil }
