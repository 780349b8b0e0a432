package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

// Attempts asserts how many attempts were made: for a traffic, on a backend, or
// for a traffic on a backend.
type Attempts struct {
	// Of is the traffic; without it all traffic counts.
	Of string `yaml:"of,omitempty"`
	// Backend is the backend; "*" asserts it of every one by itself.
	Backend string `yaml:"backend,omitempty"`
	// Outcome takes only attempts that ended so: refused, read_timeout, passed ...
	Outcome Ended `yaml:"outcome,omitempty"`
	// Count is the number of attempts.
	Count Span `yaml:"count,omitempty"`
	// Is is the share of these attempts among those of the traffic (or of all).
	Is Span `yaml:"is,omitempty"`
	// During takes only attempts started in a window.
	During Window `yaml:"during,omitempty"`
}

// Ended is the outcome of an attempt by its name in events.jsonl, "" for any.
type Ended string

// UnmarshalText refuses what no attempt can end with.
func (e *Ended) UnmarshalText(text []byte) error {
	o, err := event.ParseOutcome(string(text))
	if err != nil {
		var names []string
		for o := event.Passed; o < event.ClientTimeout; o++ {
			names = append(names, o.String())
		}
		if ours := ofNginx(string(text)); ours != "" {
			return fmt.Errorf("%q is a word of proxy_next_upstream; how an attempt ends is called %s", text, ours)
		}
		return fmt.Errorf("unknown outcome %q; there are %s", text, strings.Join(names, ", "))
	}
	if o >= event.ClientTimeout {
		return fmt.Errorf("no attempt ends as %q, that is what a client sees", o)
	}
	*e = Ended(text)
	return nil
}

// ofNginx are the outcomes that proxy_next_upstream has one word for, "" when it has
// no such word. invalid_header is the same in both.
func ofNginx(word string) string {
	switch {
	case word == "error":
		return "refused, reset or closed"
	case word == "timeout":
		return "connect_timeout, send_timeout or read_timeout"
	case strings.HasPrefix(word, "http_"):
		return "listed: its status was one that proxy_next_upstream lists"
	}
	return ""
}

var _ Definition = Attempts{}

// Kind is "attempts".
func (Attempts) Kind() string { return "attempts" }

// String is the check as a scenario writes it.
func (c Attempts) String() string {
	return write(c.Kind()).str("of", c.Of).str("backend", c.Backend).str("outcome", string(c.Outcome)).
		span("count", c.Count).span("is", c.Is).str("during", c.During.String()).String()
}

// Validate implements Definition.
func (c Attempts) Validate() []Problem {
	var p problems
	if c.Of == "" && c.Backend == "" {
		p.add("", "says neither whose attempts nor on what: write of: curl, backend: app1, or both")
	}
	if err := new(Ended).UnmarshalText([]byte(c.Outcome)); err != nil {
		p.add("outcome", "%v", err)
	}
	switch {
	case !c.Count.Set && !c.Is.Set:
		p.add("count", "is missing: write count: 3, or is: 30%%..36%% for a share")
	case c.Is.Set && c.Backend == "" && c.Outcome == "":
		p.add("is", "is the share of what? write a backend or an outcome too")
	}
	p.counted(c.Count, "is: "+quote(c.Count.String()))
	p.span("is", c.Is, Percent)
	p.during(c.During)
	return p
}

// Refs implements Definition.
func (c Attempts) Refs() Refs { return refs(c.Of, c.Backend, c.During) }

// Start implements Check.
func (c Attempts) Start() Judge {
	j := &attemptsJudge{scope: scope{of: c.Of}, c: c}
	j.outcome, _ = event.ParseOutcome(string(c.Outcome))
	j.on.backend = c.Backend
	if c.Backend == "" {
		j.on.backend = anywhere
	}
	return j
}

// anywhere stands for all backends together, unlike "*".
const anywhere = ""

type attemptsJudge struct {
	scope
	c       Attempts
	outcome event.Outcome
	total   int // attempts in the traffic and window
	// elsewhere are attempts on backends that aren't looked at.
	elsewhere proof
	on        perBackend[attemptTally]
}

type attemptTally struct {
	here int // attempts on the backend
	hits int // of them, those with the outcome
	sides
	out proof
}

// Stretch notes why a backend may have got fewer attempts.
func (j *attemptsJudge) Stretch(s analysis.Stretch) {
	w := j.c.During
	if t := j.on.of(s.Peer); t != nil && (w.To == 0 || s.From < w.To) && (s.Open || s.To > w.From) {
		t.out.stretch(s)
	}
}

func (j *attemptsJudge) Exchange(x *analysis.Exchange) {
	if !j.take(x) {
		return
	}
	for i := range x.Attempts {
		a := &x.Attempts[i]
		if !j.c.During.Has(a.Started) {
			continue
		}
		j.total++
		name := a.Peer
		if j.c.Backend == "" {
			name = anywhere
		}
		t := j.on.of(name)
		switch {
		case t == nil:
			if !j.elsewhere.full() {
				j.elsewhere.add(start(x, i))
			}
		case j.outcome == 0 || a.Outcome == j.outcome:
			t.here++
			t.hits++
			if !t.sides.hits.full() {
				t.sides.hits.add(end(x, i))
			}
		default:
			t.here++
			if !t.others.full() {
				t.others.add(end(x, i))
			}
		}
	}
}

func (j *attemptsJudge) Verdict(run Run) Verdict {
	f := j.on.judge(run, j.find)
	return verdict(j.c, j.nothing(), f)
}

// find judges one backend, or all together. A share with an outcome is that of
// the attempts here, one without is the part that the backend got of all.
func (j *attemptsJudge) find(name string, t *attemptTally) finding {
	of := j.total
	if j.outcome != 0 {
		of = t.here
	}
	f := finding{ok: true}
	var want, got []string
	offended := func(s Span, v float64) {
		if s.Has(v) {
			return
		}
		f.ok = false
		if s.above(v) {
			f.proof = append(t.sides.hits[:len(t.sides.hits):len(t.sides.hits)], f.proof...)
			return
		}
		f.proof = append(f.proof, j.fewer(name, t)...)
	}
	if s := j.c.Count; s.Set {
		want, got = append(want, s.String()), append(got, fmt.Sprint(t.hits))
		offended(s, float64(t.hits))
	}
	if s := j.c.Is; s.Set {
		part := ratio(t.hits, of)
		want, got = append(want, s.String()), append(got, fmt.Sprintf("%d of %d (%s)", t.hits, of, percent(part)))
		offended(s, part)
		if of == 0 {
			f.ok = false // the share of nothing
		}
	}
	f.want, f.got = strings.Join(want, ", "), strings.Join(got, ", ")
	return f
}

// fewer is why a backend got too few attempts: it was out, or they ended otherwise;
// else they went elsewhere, and it is said that they aren't its own.
func (j *attemptsJudge) fewer(name string, t *attemptTally) proof {
	if own := append(t.out[:len(t.out):len(t.out)], t.others...); len(own) > 0 {
		return own
	}
	out := slices.Clone(j.elsewhere)
	for i := range out {
		out[i].Detail = "not on " + name
	}
	return out
}
