package analysis

import (
	"cmp"
	"slices"

	"github.com/nolive/nolive/harness/event"
)

// Traffic is what a summary knows of one traffic. Times are seconds of scenario time.
type Traffic struct {
	Traffic  string `json:"traffic"`
	Requests int    `json:"requests"`
	// Statuses counts requests by what their client saw: "200", "closed",
	// "truncated", "invalid_header", "client_timeout", "client_refused", "unfinished".
	Statuses map[string]int `json:"statuses"`
	// Attempts is the proxy's side of the fan-out, Got the backends' side.
	Attempts int `json:"attempts"`
	Got      int `json:"got"`
	// FanOut counts requests by the number of their attempts.
	FanOut map[int]int `json:"fan_out"`
	// NoLive counts requests that met a pool without a live peer.
	NoLive  int              `json:"no_live"`
	Latency LatencyQuantiles `json:"latency"`
}

// LatencyQuantiles are in seconds; a request that was cut off by the run's end
// counts with the time it had waited.
type LatencyQuantiles struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
	// Exact is false when the quantiles but Max have three digits only.
	Exact bool `json:"exact"`
}

// Backend is what a summary knows of one backend.
type Backend struct {
	Backend  string `json:"backend"`
	Attempts int    `json:"attempts"`
	// Outcomes counts attempts by outcome, "running" for those that the run's end cut off.
	Outcomes map[string]int `json:"outcomes"`
	// Reused counts attempts on kept-alive connections.
	Reused int `json:"reused"`
	// Got counts requests that the backend read while their exchange lasted,
	// GotLate those that it read afterwards.
	Got     int `json:"got"`
	GotLate int `json:"got_late,omitempty"`
	Marks   int `json:"marks"`
	// Out are the stretches out of rotation in order of their end, OutSeconds
	// the sum of all, OutLeftOff how many more there were than are listed.
	Out        []Interval `json:"out"`
	OutSeconds float64    `json:"out_seconds"`
	OutLeftOff int        `json:"out_left_off,omitempty"`
}

// Interval is a stretch out of rotation, in seconds of scenario time.
type Interval struct {
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	Open     bool    `json:"open,omitempty"`
	Upstream string  `json:"upstream"`
	// Worker is whose stretch it is where workers count for themselves, from 0.
	Worker int `json:"worker,omitempty"`
}

// Traffics returns a line per traffic, sorted by name.
func (s *Summary) Traffics() []Traffic {
	out := make([]Traffic, 0, len(s.traffics))
	for i, t := range s.traffics {
		line := Traffic{
			Traffic: s.traffic.keys[i], Requests: t.requests, Attempts: t.attempts, Got: t.got, NoLive: t.noLive,
			Statuses: make(map[string]int), FanOut: make(map[int]int),
			Latency: LatencyQuantiles{
				P50: seconds(t.latency.Quantile(0.5)), P90: seconds(t.latency.Quantile(0.9)),
				P99: seconds(t.latency.Quantile(0.99)), Max: seconds(t.latency.Max()), Exact: t.latency.Exact(),
			},
		}
		for _, c := range t.seen {
			line.Statuses[c.seen.String()] += c.n
		}
		for attempts, n := range t.fanOut {
			if n > 0 {
				line.FanOut[attempts] = n
			}
		}
		out = append(out, line)
	}
	slices.SortFunc(out, func(a, b Traffic) int { return cmp.Compare(a.Traffic, b.Traffic) })
	return out
}

// Backends returns a line per backend that was met, sorted by name.
func (s *Summary) Backends() []Backend {
	out := make([]Backend, 0, len(s.backends))
	for i, b := range s.backends {
		line := Backend{
			Backend: s.backend.keys[i], Attempts: b.attempts, Reused: b.reused, Got: b.got, GotLate: b.gotLate, Marks: b.marks,
			Outcomes: make(map[string]int), Out: slices.Clone(b.out), OutSeconds: seconds(b.outTime), OutLeftOff: b.outLeftOff,
		}
		if line.Out == nil {
			line.Out = []Interval{} // an empty list in JSON
		}
		for o, n := range b.outcomes {
			if name := event.Outcome(o).String(); n > 0 && name != "" {
				line.Outcomes[name] = n
			} else if n > 0 {
				line.Outcomes["running"] = n
			}
		}
		out = append(out, line)
	}
	slices.SortFunc(out, func(a, b Backend) int { return cmp.Compare(a.Backend, b.Backend) })
	return out
}

// LogLines is the number of lines in the proxy's error log.
func (s *Summary) LogLines() int { return s.logLines }
