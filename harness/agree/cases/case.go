package cases

import "time"

// Case is one small scenario: one upstream block, one server, one location. Its
// parts are text in the scenario's own words, so that whatever a scenario can say
// can be drawn, and so that a part can be left out without knowing what it means.
type Case struct {
	// Name is the scenario's, and that of the upstream block; every other name in
	// the case begins with it, so that cases can stand in one configuration.
	Name string
	// base is when it begins: cases that run together neither begin nor go on in the
	// same instants, or a thousand requests would come at once.
	base time.Duration
	// About says where the case comes from.
	About string
	// Listen is the server's, different from that of every case it may stand beside.
	Listen string
	// Workers is worker_processes where it is more than 1. Cases that stand in one
	// configuration have the same.
	Workers int
	// Stream is true when all of it stands in stream: Location is then what the
	// server has beside proxy_pass.
	Stream bool
	// Block are the upstream block's directives before its servers, After those
	// after them, Location the location's beside proxy_pass: each without its ";".
	Block, After, Location []string
	// Page is what the location's error_page has, "" for none. It leads to /sorry,
	// which answers, or to @again, which passes the request on once more; Again are
	// that location's directives, Second the servers of the block that it passes to,
	// none for the same block as before.
	Page   string
	Again  []string
	Second []Server
	// URI is what proxy_pass has behind the block's name.
	URI      string
	Servers  []Server
	Backends []Backend
	Traffic  []Traffic
	// Expect are the expectations, in YAML.
	Expect []string
}

// Server is one server line.
type Server struct {
	Name   string
	Params []string
}

// Backend is a backend with its rules.
type Backend struct {
	Name  string
	Rules []Rule
}

// Rule is one rule of a backend in flow YAML; When is "" for always.
type Rule struct{ When, Do string }

// Traffic is one source of requests: a user who asks Times times, or instants.
type Traffic struct {
	Name    string
	Request string
	// Words are further keys in flow YAML, such as "body: 10KiB".
	Words []string
	// At are the instants; Times, Start and Pause are used without.
	At           []time.Duration
	Times        int
	Start, Pause time.Duration
}

// Requests is how many requests the case sends.
func (c *Case) Requests() int {
	n := 0
	for i := range c.Traffic {
		n += len(c.Traffic[i].At) + c.Traffic[i].Times
	}
	return n
}
