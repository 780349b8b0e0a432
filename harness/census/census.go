// Package census asks what a proxy answers for every fault of the catalogue, in
// groups of several sizes and with several methods, all in one run. It judges
// nothing; it says what was seen.
package census

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/scenarios/catalogue"
)

// Question is one cell: a fault, met by one request to a fresh group whose first
// server has it and whose others behave well.
type Question struct {
	Entry  catalogue.Entry
	Method string
	Peers  int
}

// name tells the question's group and traffic from the others.
func (q Question) name() string {
	return q.Entry.Name + "-" + strings.ToLower(q.Method) + "-" + strconv.Itoa(q.Peers)
}

// Race says, for a question that a microsecond may decide, what it decides; "" for
// all others.
func (q Question) Race() string {
	if q.Entry.Name == "close-accept" && q.Method != "GET" {
		return "whether the proxy has sent the request when the close arrives"
	}
	return q.Entry.Race()
}

// Questions are all cells, fault by fault. An example that needs a body is met by
// methods that have one only; a barrier, by none.
func Questions(methods []string, peers []int) []Question {
	var out []Question
	for _, e := range append(catalogue.Entries(), others...) {
		for _, m := range methods {
			if strings.HasPrefix(e.Name, "post") && m == "GET" || barrier(e) {
				continue
			}
			for _, n := range peers {
				out = append(out, Question{e, m, n})
			}
		}
	}
	return out
}

// barrier says whether a fault waits for other requests; a question is one alone.
func barrier(e catalogue.Entry) bool { return strings.Contains(e.Do, "wait_for") }

// others are what the catalogue has no example of: what holds for a backend as a
// whole, and TLS, which only groups behind https meet.
var others = []catalogue.Entry{
	{Name: "door-refuse", Do: "refuse"}, {Name: "door-freeze", Do: "freeze"}, {Name: "door-blackhole", Do: "blackhole"},
	{Name: "tls-good", Do: "{tls: good}"}, {Name: "tls-hang", Do: "{tls: hang}"}, {Name: "tls-close", Do: "{tls: close}"},
	{Name: "tls-reset", Do: "{tls: reset}"}, {Name: "tls-refuse", Do: "{tls: refuse}"}, {Name: "tls-plain", Do: "{tls: plain}"},
	{Name: "tls-expired", Do: "{tls: expired}"},
}

// Scenario is one scenario that asks all of them: a group and a location each, and
// one nginx for all.
func Scenario(questions []Question) string {
	var groups []catalogue.Group
	for i, q := range questions {
		g := catalogue.Group{Entry: q.Entry, Name: q.name(), Servers: q.Peers, Method: q.Method,
			Load: fmt.Sprintf("at: [%dms]", 100+i*spread), Scheme: "http"}
		if strings.HasPrefix(q.Entry.Name, "tls-") {
			g.Scheme = "https"
		}
		if q.Method != "GET" && q.Method != "HEAD" {
			g.Body = 10 << 10
		}
		groups = append(groups, g)
	}
	return catalogue.Write("census", groups, fmt.Sprintf(`expect:
  - status: {of: %s, is: 200}
jitter: 400ms
max_speed: 1
`, questions[0].name()))
}

// spread is the time between two questions, in milliseconds: the machine isn't
// asked for all at once.
const spread = 12

// Answer is what became of a question.
type Answer struct {
	// Status is the client's, 0 for a connection that closed without one.
	Status int
	// Attempts of the proxy, and whether it marked the faulty server.
	Attempts int
	Marked   bool
	// Took is the time to the end of the answer.
	Took time.Duration
	// Body is what the client got: "whole", "cut short" or "nothing"
	// of the backend's, or "the proxy's page"; "left" for a client that didn't wait
	// for the end.
	Body string
}

// String is "200, 2 attempts, marked, 1.0 s, whole".
func (a Answer) String() string {
	attempts := strconv.Itoa(a.Attempts) + " attempts"
	if a.Attempts == 1 {
		attempts = "1 attempt"
	}
	marked := ""
	if a.Marked {
		marked = ", marked"
	}
	status, body := strconv.Itoa(a.Status), a.Body
	switch {
	case a.Body == "left":
		status, body = "the client left", "no end"
	case a.Status == 0:
		status = "closed"
	}
	return fmt.Sprintf("%s, %s%s, %.1f s, %s", status, attempts, marked, a.Took.Seconds(), body)
}

// Same says whether two engines gave the same answer: all of it, and the time but
// for what a machine may be late.
func (a Answer) Same(b Answer, late time.Duration) bool {
	d := (a.Took - b.Took).Abs()
	a.Took, b.Took = 0, 0
	return a == b && d <= late
}

// Answers are the answers of a run of Scenario, in the order of the questions.
func Answers(r *harness.Result, questions []Question) []Answer {
	out := make([]Answer, len(questions))
	sent := make([]time.Duration, len(questions))
	own := make([]bool, len(questions)) // the last attempt gave no answer
	at := map[string]int{}
	for i, q := range questions {
		at[q.name()] = i
	}
	for _, e := range r.Events {
		i, ok := at[e.Request.Traffic]
		if !ok {
			continue
		}
		a := &out[i]
		switch e.Kind {
		case event.RequestSent:
			sent[i] = e.At
		case event.AttemptStarted:
			a.Attempts++
		case event.AttemptEnded:
			own[i] = e.Outcome != event.Passed && e.Outcome != event.Truncated
		case event.PeerMarked:
			a.Marked = a.Marked || strings.HasSuffix(e.Peer, "-a")
		case event.ResponseEnded:
			a.Took = e.At - sent[i]
			switch e.Outcome {
			case event.Passed:
				a.Status, a.Body = e.Status, "whole"
				if own[i] {
					a.Body = "the proxy's page"
				}
			case event.Truncated:
				a.Status, a.Body = e.Status, "cut short"
			case event.ClientTimeout:
				a.Body = "left"
			default:
				a.Body = "nothing"
			}
		}
	}
	return out
}
