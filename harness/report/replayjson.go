package report

import (
	"io"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/check"
)

// Replay is one stored run as the model sees it.
type Replay struct {
	Stored    *harness.Stored
	Upstreams []harness.Replayed
	// Verdicts are those of the expectations, if they were judged again.
	Verdicts []check.Verdict
}

// OK says whether the model explains every decision, and whether every expectation
// that was judged again holds.
func (r *Replay) OK() bool {
	for _, u := range r.Upstreams {
		if u.First != nil {
			return false
		}
	}
	for _, v := range r.Verdicts {
		if !v.OK {
			return false
		}
	}
	return true
}

// replays is what nolive replay --json writes.
type replays struct {
	OK   bool     `json:"ok"`
	Runs []replay `json:"runs"`
}

type replay struct {
	Scenario  string     `json:"scenario"`
	Variant   string     `json:"variant,omitempty"`
	Path      string     `json:"path,omitempty"`
	Engine    string     `json:"engine"`
	Model     string     `json:"model"`
	Seed      uint64     `json:"seed"`
	OK        bool       `json:"ok"`
	Upstreams []replayed `json:"upstreams"`
	Verdicts  []verdict  `json:"verdicts,omitempty"`
}

// replayed are the decisions in one upstream, and how the model explains them.
type replayed struct {
	Upstream  string      `json:"upstream"`
	Decisions int         `json:"decisions"`
	Different int         `json:"different"`
	Ambiguous int         `json:"ambiguous"`
	Edges     int         `json:"edges"`
	Cut       int         `json:"cut"`
	First     *difference `json:"first,omitempty"`
}

// difference is the first decision that no reading explains.
type difference struct {
	At       seconds `json:"at"`
	Request  string  `json:"request"`
	Try      int     `json:"try,omitempty"`
	What     string  `json:"what"`
	Model    string  `json:"model"`
	Recorded string  `json:"recorded"`
}

// ReplayJSON writes what the model says of stored runs.
func ReplayJSON(w io.Writer, all []Replay) error {
	doc := replays{OK: true, Runs: []replay{}}
	for i := range all {
		from := &all[i]
		h := &from.Stored.Header
		r := replay{Scenario: h.Scenario, Variant: h.Variant, Path: h.Path, Engine: h.Engine, Model: h.Nginx, Seed: h.Seed,
			OK: from.OK(), Upstreams: []replayed{}}
		for _, u := range from.Upstreams {
			d := replayed{u.Upstream, u.Decisions, u.Different, u.Ambiguous, u.Edges, u.Cut, nil}
			if f := u.First; f != nil {
				d.First = &difference{seconds(f.At), f.Request.String(), f.Try, f.What, f.Model, f.Recorded}
			}
			r.Upstreams = append(r.Upstreams, d)
		}
		for i := range from.Verdicts {
			r.Verdicts = append(r.Verdicts, verdictOf(&from.Verdicts[i]))
		}
		doc.OK = doc.OK && r.OK
		doc.Runs = append(doc.Runs, r)
	}
	return encode(w, doc)
}
