package fault

// Spec is what a scenario writes under a kind: a struct whose yaml tags are the
// keys. Its zero value is the kind written as a bare word.
type Spec interface {
	// Fault checks the spec and returns what it means; the error begins with
	// the field that is wrong.
	Fault() (Fault, error)
}

// Scalar is a Spec that may also be written as one scalar, as in {status: 503}.
type Scalar interface {
	Spec
	// Scalar sets the spec from the scalar's text.
	Scalar(text string) error
}

// Kind is one kind of fault.
type Kind struct {
	// Name is the key under do:.
	Name string
	// About says in one line what it does.
	About string
	// New returns the zero spec, a pointer to a struct.
	New func() Spec
}

// Kinds returns every kind, sorted by name.
func Kinds() []Kind {
	return []Kind{
		{"blackhole", "a host that is gone: connects are not answered, open connections stand still", func() Spec { return new(BlackholeSpec) }},
		{"close", "the connection is closed (FIN) before the response is complete", func() Spec { return new(CloseSpec) }},
		{"close_on_reuse", "an idle connection stays, and ends at the first byte of its next request", func() Spec { return new(CloseOnReuseSpec) }},
		{"connections", "how many connections there are at the same time, and what one more meets", func() Spec { return new(ConnectionsSpec) }},
		{"drip", "the response comes in small pieces", func() Spec { return new(DripSpec) }},
		{"endless", "the body of the answer never ends", func() Spec { return new(EndlessSpec) }},
		{"freeze", "a stopped process: connects succeed, nothing is read or answered", func() Spec { return new(FreezeSpec) }},
		{"hang", "the request is read and never answered", func() Spec { return new(HangSpec) }},
		{"keepalive", "how long a connection is kept between requests", func() Spec { return new(KeepaliveSpec) }},
		{"malformed", "an answer that isn't the HTTP that it should be", func() Spec { return new(MalformedSpec) }},
		{"refuse", "nobody listens on the port", func() Spec { return new(RefuseSpec) }},
		{"reset", "the connection is cut (RST) before the response is complete", func() Spec { return new(ResetSpec) }},
		{"respond", "an ordinary answer", func() Spec { return new(RespondSpec) }},
		{"shutdown", "a graceful end: nothing is accepted, what was begun is finished", func() Spec { return new(ShutdownSpec) }},
		{"slow_accept", "connections are accepted one at a time, each after a while", func() Spec { return new(SlowAcceptSpec) }},
		{"slow_pdf", "a report that takes its time, then is streamed as a PDF of the asked size", func() Spec { return new(SlowPDFSpec) }},
		{"status", "an answer of which only the status matters", func() Spec { return new(StatusSpec) }},
		{"tls", "how a connection by https is taken up: the handshake and the certificate", func() Spec { return new(TLSSpec) }},
		{"upgrade", "the connection becomes a WebSocket, which echoes, stalls or is cut", func() Spec { return new(UpgradeSpec) }},
		{"wait", "a step of a list: time passes", func() Spec { return new(WaitSpec) }},
		{"wait_for", "a step of a list: a barrier, met once a backend has read so many requests", func() Spec { return new(WaitForSpec) }},
		{"workers", "how many requests are worked on at the same time, and what waits", func() Spec { return new(WorkersSpec) }},
	}
}

// Lookup returns the kind with the name; false when there is none.
func Lookup(name string) (Kind, bool) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}
