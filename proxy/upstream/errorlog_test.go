package upstream

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"

	"github.com/google/go-cmp/cmp"
)

// lines runs the outcomes as the attempts of one GET over a and b and returns
// kinds and lines in the order in which they came out.
func lines(t *testing.T, next Flags, outcomes ...event.Outcome) []string {
	t.Helper()
	var got []string
	logger := NewLogger(event.SinkFunc(func(e event.Event) {
		if e.Kind == event.Logged {
			got = append(got, e.Peer+": "+e.Detail)
		} else {
			got = append(got, e.Kind.String())
		}
	}))
	g := NewGroup(Config{Name: "u", Servers: []Server{NewServer("a"), NewServer("b")}}, logger)
	var r Request
	d := r.Begin(g, nil, Arrival{Method: "GET", Policy: Policy{Next: next}}, 0)
	for _, o := range outcomes {
		if d.Action != Try {
			t.Fatalf("no attempt is running for %v", o)
		}
		d = r.Fail(time.Second, o)
	}
	return got
}

func TestLinesComeInNginxOrder(t *testing.T) {
	const (
		disabled = "upstream server temporarily disabled while "
		header   = "reading response header from upstream"
		connect  = "connecting to upstream"
		timeout  = "upstream timed out (110: Connection timed out) while "
	)
	for name, c := range map[string]struct {
		next     Flags
		outcomes []event.Outcome
		want     []string
	}{
		"an error's cause comes before the mark": {0, []event.Outcome{event.Refused, event.Reset}, []string{
			"attempt", "ended", "a: connect() failed (111: Connection refused) while " + connect, "marked", "a: " + disabled + connect,
			"attempt", "ended", "b: recv() failed (104: Connection reset by peer) while " + header, "marked", "b: " + disabled + header,
		}},
		"a time-out's comes after it, and before the next attempt": {0, []event.Outcome{event.ConnectTimeout, event.ReadTimeout}, []string{
			"attempt", "ended", "marked", "a: " + disabled + connect, "a: " + timeout + connect,
			"attempt", "ended", "marked", "b: " + disabled + header, "b: " + timeout + header,
		}},
		"a request that can't be sent": {Off, []event.Outcome{event.SendTimeout}, []string{
			"attempt", "ended", "marked", "a: " + disabled + "sending request to upstream", "a: " + timeout + "sending request to upstream",
		}},
		"a bad header": {Off, []event.Outcome{event.InvalidHeader}, []string{
			"attempt", "ended", "a: upstream sent invalid header while " + header, "marked", "a: " + disabled + header,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, lines(t, c.next, c.outcomes...)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// TestATimeoutThatMarksNothingIsLoggedAtOnce guards against a line that waits
// for a mark which never comes: a lone server isn't marked, and nothing follows.
func TestATimeoutThatMarksNothingIsLoggedAtOnce(t *testing.T) {
	var got []string
	g := NewGroup(Config{Name: "u", Servers: []Server{NewServer("a")}}, NewLogger(event.SinkFunc(func(e event.Event) {
		got = append(got, e.Kind.String()+e.Detail)
	})))
	var r Request
	r.Begin(g, nil, Arrival{Method: "GET"}, 0)
	r.Fail(60*time.Second, event.ReadTimeout)
	want := []string{"attempt", "ended", "logupstream timed out (110: Connection timed out) while reading response header from upstream"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestABrokenBodySaysHow(t *testing.T) {
	for how, want := range map[event.Outcome]string{
		event.Closed:      "upstream prematurely closed connection while reading upstream",
		event.Reset:       "readv() failed (104: Connection reset by peer) while reading upstream",
		event.ReadTimeout: "upstream timed out (110: Connection timed out) while reading upstream",
	} {
		var got string
		g := NewGroup(Config{Name: "u", Servers: []Server{NewServer("a")}}, NewLogger(event.SinkFunc(func(e event.Event) {
			if e.Kind == event.Logged {
				got += e.Detail
			}
		})))
		var r Request
		r.Begin(g, nil, Arrival{Method: "GET"}, 0)
		r.Header(0, 200)
		r.Cut(time.Second, how, 200)
		if got != want {
			t.Errorf("%v: %q, want %q", how, got, want)
		}
	}
}

// TestATooBigHeaderIsOne: the note is of the attempt that fails next, not of the
// one behind it.
func TestATooBigHeaderIsOne(t *testing.T) {
	var got []string
	g := NewGroup(Config{Name: "u", Servers: []Server{NewServer("a"), NewServer("b"), NewServer("c")}}, NewLogger(event.SinkFunc(func(e event.Event) {
		if e.Kind == event.Logged {
			got = append(got, e.Detail)
		}
	})))
	var r Request
	r.Begin(g, nil, Arrival{Method: "GET", Policy: Policy{Next: InvalidHeader}}, 0)
	r.TooBig()
	r.Fail(0, event.InvalidHeader)
	r.BadHeader("upstream sent invalid header: \"A\\x20...\"")
	r.Fail(0, event.InvalidHeader)
	r.Fail(0, event.InvalidHeader)
	const header = "while reading response header from upstream"
	want := []string{
		"upstream sent too big header " + header, "upstream server temporarily disabled " + header,
		"upstream sent invalid header: \"A\\x20...\" " + header, "upstream server temporarily disabled " + header,
		"upstream sent invalid header " + header, "upstream server temporarily disabled " + header,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// TestLinesOfWhatElseEnds: the texts that depend on more than the outcome.
func TestLinesOfWhatElseEnds(t *testing.T) {
	for e, want := range map[event.Event]string{
		{Outcome: event.Refused, Cached: true}:                                  "connect() failed (104: Connection reset by peer) while connecting to upstream",
		{Outcome: event.Relayed, Detail: event.Reset.String()}:                  "recv() failed (104: Connection reset by peer) while proxying and reading from upstream",
		{Outcome: event.Refused, Detail: HandshakeClosed}:                       "peer closed connection in SSL handshake while SSL handshaking to upstream",
		{Outcome: event.ConnectTimeout, Detail: HandshakeTimedOut}:              "upstream timed out (110: Connection timed out) while SSL handshaking to upstream",
		{Outcome: event.Refused, Detail: HandshakeTimedOut}:                     "",
		{Outcome: event.Relayed}:                                                "",
		{Outcome: event.Truncated, Detail: event.InvalidHeader.String()}:        "upstream sent invalid chunked response while reading upstream",
		{Outcome: event.Closed, Cached: true}:                                   "upstream prematurely closed connection while reading response header from upstream",
		{Outcome: event.InvalidHeader, Detail: "something else about a header"}: "something else about a header while reading response header from upstream",
	} {
		e.Kind = event.AttemptEnded
		if text, ok := LogMessage(e); text != want || ok != (want != "") {
			t.Errorf("%+v: %q, %v, want %q", e, text, ok, want)
		}
	}
}

func TestQuietEventsHaveNoLine(t *testing.T) {
	for _, o := range []event.Outcome{event.Passed, event.Aborted, event.Listed} {
		if text, ok := LogMessage(event.Event{Kind: event.AttemptEnded, Outcome: o}); ok {
			t.Errorf("%v has the line %q", o, text)
		}
	}
	if text, ok := LogMessage(event.Event{Kind: event.AttemptStarted}); ok {
		t.Errorf("an attempt's start has the line %q", text)
	}
}

func TestLoggingAllocatesNothing(t *testing.T) {
	l := NewLogger(event.Discard)
	e := event.Event{Kind: event.AttemptEnded, Outcome: event.ReadTimeout, Peer: "a"}
	m := event.Event{Kind: event.PeerMarked, Outcome: event.ReadTimeout, Peer: "a"}
	if n := testing.AllocsPerRun(100, func() { l.Emit(e); l.Emit(m) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
