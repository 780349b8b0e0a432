package report

import (
	"cmp"
	"encoding/json"
	"io"
	"math"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// document is what --json writes.
type document struct {
	OK   bool  `json:"ok"`
	Runs []run `json:"runs"`
}

type run struct {
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"`
	Path     string `json:"path,omitempty"`
	Engine   string `json:"engine"`
	Version  string `json:"version,omitempty"`
	// Model is the version of nginx that the model behaves as.
	Model     string   `json:"model"`
	Image     string   `json:"image,omitempty"`
	Speed     float64  `json:"speed"`
	Seed      uint64   `json:"seed"`
	End       seconds  `json:"end"`
	Wall      seconds  `json:"wall"`
	Jitter    jitters  `json:"jitter"`
	Valid     bool     `json:"valid"`
	Invalid   string   `json:"invalid,omitempty"`
	Abandoned []string `json:"abandoned,omitempty"`
	Alerts    []string `json:"alerts,omitempty"`
	OK        bool     `json:"ok"`
	// Unapplied are rules of backends that decided nothing.
	Unapplied []unapplied `json:"unapplied,omitempty"`
	// Error says why the engine could not run at all; the rest is then empty.
	Error    string             `json:"error,omitempty"`
	Verdicts []verdict          `json:"verdicts"`
	Traffic  []analysis.Traffic `json:"traffic"`
	Backends []analysis.Backend `json:"backends"`
	// Mismatches counts requests on which the proxy and the backends disagree;
	// the first ones are listed.
	Mismatches int        `json:"mismatches"`
	Mismatch   []mismatch `json:"mismatch,omitempty"`
}

type mismatch struct {
	Request string `json:"request"`
	analysis.Mismatch
}

type unapplied struct {
	Backend string `json:"backend"`
	Rule    int    `json:"rule"`
	Fault   string `json:"fault"`
}

type verdict struct {
	Check string `json:"check"`
	Kind  string `json:"kind"`
	Want  string `json:"want"`
	Got   string `json:"got"`
	OK    bool   `json:"ok"`
	// Evidence are the events that prove a failed verdict, at most a dozen, as in
	// events.jsonl.
	Evidence []fact `json:"evidence,omitempty"`
}

// verdictOf is a verdict as JSON.
func verdictOf(v *check.Verdict) verdict {
	out := verdict{Check: v.Check, Kind: v.Kind, Want: v.Want, Got: v.Got, OK: v.OK}
	for _, e := range v.Evidence {
		out.Evidence = append(out.Evidence, fact(e))
	}
	return out
}

// fact is an event as events.jsonl writes it, so that one reader does for both.
type fact event.Event

// MarshalJSON writes an object.
func (f fact) MarshalJSON() ([]byte, error) { return event.AppendJSON(nil, event.Event(f)), nil }

// jitters are in seconds of scenario time.
type jitters struct {
	Sends      jitterOf `json:"sends"`
	Waits      jitterOf `json:"waits"`
	Stalls     jitterOf `json:"stalls"`
	ClockError seconds  `json:"clock_error"`
}

type jitterOf struct {
	Count int64   `json:"count"`
	P50   seconds `json:"p50"`
	P99   seconds `json:"p99"`
	Max   seconds `json:"max"`
}

// seconds is a duration as JSON: seconds with microseconds.
type seconds time.Duration

// MarshalJSON writes a number.
func (s seconds) MarshalJSON() ([]byte, error) {
	return json.Marshal(math.Round(time.Duration(s).Seconds()*1e6) / 1e6)
}

// Entry is one run for the report: a result, or the reason why there is none.
type Entry struct {
	Scenario, Variant string
	// Path is the scenario's file, which tells two of the same name apart.
	Path   string
	Engine harness.Engine
	// Column tells several of one engine apart; "" is the engine's name.
	Column string
	Result *harness.Result
	Err    error
}

// On is what the run was on.
func (e Entry) On() string { return cmp.Or(e.Column, string(e.Engine)) }

// JSON writes all runs of one invocation. OK is true when every run is.
func JSON(w io.Writer, entries []Entry) error {
	doc := document{OK: true, Runs: []run{}}
	for _, e := range entries {
		r := run{Scenario: e.Scenario, Variant: e.Variant, Path: e.Path, Engine: string(e.Engine), Verdicts: []verdict{}, Traffic: []analysis.Traffic{}, Backends: []analysis.Backend{}}
		if e.Result != nil {
			r.fill(e.Result)
		} else if e.Err != nil {
			r.Error = e.Err.Error()
		}
		doc.OK = doc.OK && r.OK
		doc.Runs = append(doc.Runs, r)
	}
	return encode(w, doc)
}

// encode writes a document for people and programs: indented, "<" as it is.
func encode(w io.Writer, doc any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}

func (r *run) fill(from *harness.Result) {
	r.Version, r.Model, r.Image, r.Speed, r.Seed = from.Version, from.Model.String(), from.Image, from.Speed, from.Seed
	r.End, r.Wall = seconds(from.End), seconds(from.Wall)
	r.Jitter = jitters{jitterFrom(from.Send), jitterFrom(from.Wait), jitterFrom(from.Stall), seconds(from.ClockError)}
	r.Valid, r.Invalid, r.Abandoned, r.Alerts = from.Valid(), from.Invalid, from.Abandoned, from.Alerts
	r.OK = from.OK()
	r.Traffic, r.Backends = from.Summary.Traffics(), from.Summary.Backends()
	n, first := from.Summary.Mismatches()
	r.Mismatches = n
	for _, m := range first {
		r.Mismatch = append(r.Mismatch, mismatch{m.Request.String(), m})
	}
	for _, u := range from.Unapplied {
		r.Unapplied = append(r.Unapplied, unapplied(u))
	}
	for i := range from.Verdicts {
		r.Verdicts = append(r.Verdicts, verdictOf(&from.Verdicts[i]))
	}
}

func jitterFrom(j clock.Jitter) jitterOf {
	return jitterOf{j.Count, seconds(j.P50), seconds(j.P99), seconds(j.Max)}
}
