package check

// Kind is one entry of the table of assertion kinds.
type Kind struct {
	// Name is the key under `expect:`.
	Name string
	// About says in one sentence what it asserts.
	About string
	// New returns a pointer to a zero check of this kind, to decode into.
	New func() Definition
}

// Kinds is the table of all kinds, sorted by name. A new kind is one file and
// one line here.
func Kinds() []Kind {
	return []Kind{
		{"attempts", "How many attempts were made on a backend or for a traffic, or the share of them that a backend got.", fresh[Attempts]},
		{"duplicates", "How many requests that must not be repeated were read by backends more than once.", fresh[Duplicates]},
		{"fan_out", "How many attempts, or different backends, each client request caused.", fresh[FanOut]},
		{"in_rotation", "Whether a backend was to be picked at an instant or throughout a window.", fresh[InRotation]},
		{"latency", "Quantiles of the time from the planned send to the end of the answer.", fresh[Latency]},
		{"log", "How many lines of the proxy's error log contain a text.", fresh[Log]},
		{"marked", "How often a backend was marked, nginx's \"upstream server temporarily disabled\".", fresh[Marked]},
		{"out", "How long and how often a backend was out of rotation, from a mark to the next attempt on it.", fresh[Out]},
		{"reused", "How many attempts used a kept-alive connection.", fresh[Reused]},
		{"sequence", "The exact order of the statuses that clients saw, or of the backends that were tried.", fresh[Sequence]},
		{"share", "The share of a traffic's responses that had a status.", fresh[Share]},
		{"slow", "How many requests took longer than a time.", fresh[Slow]},
		{"status", "How many of a traffic's responses had a status.", fresh[Status]},
		{"truncated", "How many responses broke off after their header.", fresh[Truncated]},
	}
}

// definition is a pointer to a kind's struct.
type definition[T any] interface {
	*T
	Definition
}

func fresh[T any, P definition[T]]() Definition { return P(new(T)) }
