package event

// RequestHeader is the header by which client, proxy log and backend speak of
// the same request: the client adds it with Request.String as its value.
const RequestHeader = "X-Nolive-Request"

// Version is the version of the log format that Encoder writes.
const Version = 1

// Header is the first line of a stored log: what a later judgement needs to
// know of the run.
type Header struct {
	// Version is the format's version, from 1; it also tells a log from other JSON.
	Version int `json:"nolive"`
	// Scenario and Variant name what ran, Engine on what.
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"`
	Engine   string `json:"engine"`
	// Nginx is the version of nginx whose rules held, "" in logs that are older
	// than the distinction: 1.22.
	Nginx string `json:"nginx,omitempty"`
	// Speed is scenario seconds per real second; 0 where time is virtual.
	Speed float64 `json:"speed"`
	// Seed is the seed of the plan.
	Seed uint64 `json:"seed"`
	// ClockError is how far the stamps may be from the proxy's own clock, in
	// seconds of scenario time.
	ClockError float64 `json:"clock_error"`
	// Events is how many events follow, so that a log that broke off is known.
	Events int `json:"events"`
	// Addresses are what the proxy's configuration had in the place of the
	// backends' names, where it hashes them.
	Addresses map[string]string `json:"addresses,omitempty"`
	// Path is the scenario file as it was named, Source its text.
	Path   string `json:"path"`
	Source string `json:"source"`
}
