package check

import (
	"fmt"
	"slices"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// Sequence asserts an exact, ordered list over a traffic's requests in the
// order of their numbers: what each client saw, or the backends that were
// tried, retries included: a request that went to a and then to b is two
// entries. The list has to be complete.
type Sequence struct {
	// Of is the traffic.
	Of string `yaml:"of"`
	// Status is what the clients saw, one entry a request.
	Status []Answer `yaml:"status,omitempty"`
	// Peers are the backends of the attempts.
	Peers []string `yaml:"peers,omitempty"`
	// During takes only requests sent in a window.
	During Window `yaml:"during,omitempty"`
}

var _ Definition = Sequence{}

// Kind is "sequence".
func (Sequence) Kind() string { return "sequence" }

// String is the check as a scenario writes it.
func (c Sequence) String() string {
	return write(c.Kind()).str("of", c.Of).list("status", c.statuses()).list("peers", c.Peers).str("during", c.During.String()).String()
}

func (c Sequence) statuses() []string {
	list := make([]string, len(c.Status))
	for i, a := range c.Status {
		list[i] = string(a)
	}
	return list
}

// Validate implements Definition.
func (c Sequence) Validate() []Problem {
	var p problems
	p.need("of", c.Of, "curl")
	switch {
	case len(c.Status) == 0 && len(c.Peers) == 0:
		p.add("", "lists nothing: write status: [504, 502] or peers: [app1, app2]")
	case len(c.Status) > 0 && len(c.Peers) > 0:
		p.add("peers", "contradicts status: write two checks")
	}
	for _, a := range c.Status {
		if a == "" {
			p.add("status", "has an empty entry")
		}
		p.answer("status", a)
	}
	for _, name := range c.Peers {
		if name == "" || name == Every {
			p.add("peers", "%q is no backend", name)
		}
	}
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Sequence) Refs() Refs {
	return Refs{Traffic: c.Of, Backends: unique(c.Peers), During: c.During}
}

// Start implements Check.
func (c Sequence) Start() Judge {
	j := &sequenceJudge{scope: scope{of: c.Of, during: c.During}, c: c}
	for _, a := range c.Status {
		is, _ := a.selector()
		j.statuses = append(j.statuses, is)
	}
	return j
}

type sequenceJudge struct {
	scope
	c        Sequence
	statuses []selector
	total    int    // entries in all
	kept     []step // those with the lowest request numbers, in order
}

// step is one entry of the list that was seen.
type step struct {
	n     int // of the request
	seen  analysis.Seen
	name  string
	event event.Event
}

// Exchange adds the request's entries where its number belongs: requests end in
// another order than they were sent. What lies further back than the list is
// long only has to be counted.
func (j *sequenceJudge) Exchange(x *analysis.Exchange) {
	if !j.take(x) {
		return
	}
	entries := len(x.Attempts)
	if len(j.statuses) > 0 {
		entries = 1
	}
	j.total += entries
	at := len(j.kept)
	for at > 0 && j.kept[at-1].n > x.Request.N {
		at--
	}
	limit := max(len(j.statuses), len(j.c.Peers)) + maxEvidence
	if at < limit {
		j.kept = slices.Insert(j.kept, at, j.steps(x, entries)...)
		j.kept = j.kept[:min(len(j.kept), limit)]
	}
}

func (j *sequenceJudge) steps(x *analysis.Exchange, entries int) []step {
	steps := make([]step, entries)
	for i := range steps {
		if len(j.statuses) > 0 {
			steps[i] = step{n: x.Request.N, seen: x.Seen(), name: x.Seen().String(), event: response(x)}
		} else {
			steps[i] = step{n: x.Request.N, name: x.Attempts[i].Peer, event: start(x, i)}
		}
	}
	return steps
}

// matches says whether entry i of the list is what was seen.
func (j *sequenceJudge) matches(i int, s step) bool {
	if len(j.statuses) > 0 {
		return i < len(j.statuses) && j.statuses[i].matches(s.seen)
	}
	return i < len(j.c.Peers) && j.c.Peers[i] == s.name
}

func (j *sequenceJudge) Verdict(Run) Verdict {
	want := j.c.Peers
	if len(j.statuses) > 0 {
		want = j.c.statuses()
	}
	names := make([]string, len(j.kept))
	wrong := len(j.kept) // index of the first entry that differs
	for i, s := range j.kept {
		names[i] = s.name
		if wrong == len(j.kept) && !j.matches(i, s) {
			wrong = i
		}
	}
	f := finding{want: bracket(want, len(want)), ok: wrong == len(j.kept) && j.total == len(want)}
	f.got = bracket(names, len(want)+3)
	if !f.ok {
		f.got += fmt.Sprintf(" (entry %d differs)", wrong+1)
		if wrong == len(j.kept) {
			f.got = bracket(names, len(want)+3) + fmt.Sprintf(" (%d of %d entries)", j.total, len(want))
			wrong = max(wrong-1, 0) // the last that came
		}
		for _, s := range j.kept[wrong:] {
			f.proof = append(f.proof, s.event)
		}
	}
	return verdict(j.c, j.nothingSent(), f)
}

func bracket(names []string, few int) string { return "[" + listed(names, ", ", few) + "]" }
