package upstream_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// through is a group of stream with servers a and b, of one second each, and what
// it told.
func through(t *testing.T, nginx string, sink *[]event.Event) (*upstream.Group, upstream.Config) {
	t.Helper()
	cfg := upstream.Config{Name: "u", Stream: true, Version: version(t, nginx)}
	for _, name := range []string{"a", "b"} {
		s := upstream.NewServer(name)
		s.FailTimeout = time.Second
		cfg.Servers = append(cfg.Servers, s)
	}
	return upstream.NewGroup(cfg, upstream.NewLogger(event.SinkFunc(func(e event.Event) { *sink = append(*sink, e) }))), cfg
}

func kinds(events []event.Event) string {
	var out []string
	for _, e := range events {
		text := e.Kind.String()
		if e.Kind == event.Logged {
			text = e.Detail
		} else if e.Peer != "" {
			text += " " + e.Peer
		}
		if e.Outcome != 0 && e.Kind == event.AttemptEnded {
			text += " " + e.Outcome.String()
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// Whatever failed, the client of a session sees 502, and the cause is logged
// before the mark, also of a time-out (ngx_stream_proxy_connect_handler).
func TestSessionFails(t *testing.T) {
	for _, c := range []struct {
		policy upstream.Policy
		want   string
	}{
		{upstream.Policy{}, "attempt a; ended a connect_timeout; upstream timed out (110: Connection timed out) while connecting to upstream; " +
			"marked a; upstream server temporarily disabled while connecting to upstream; attempt b; ended b refused; " +
			"connect() failed (111: Connection refused) while connecting to upstream; marked b; upstream server temporarily disabled while connecting to upstream"},
		{upstream.Policy{Next: upstream.Off}, "attempt a; ended a connect_timeout; upstream timed out (110: Connection timed out) while connecting to upstream; " +
			"marked a; upstream server temporarily disabled while connecting to upstream"},
	} {
		var events []event.Event
		g, _ := through(t, "1.22.1", &events)
		var r upstream.Request
		d := r.Begin(g, nil, upstream.Arrival{ID: event.Request{Traffic: "s", N: 1}, Policy: c.policy}, 0)
		outcomes := []event.Outcome{event.ConnectTimeout, event.Refused}
		for i := 0; d.Action == upstream.Try; i++ {
			d = r.Fail(time.Duration(i)*time.Millisecond, outcomes[i])
		}
		if d.Action != upstream.Answer || d.Status != 502 {
			t.Errorf("%+v", d)
		}
		if got := kinds(events); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		for _, e := range events {
			if e.Kind == event.AttemptEnded && e.Status != 0 {
				t.Errorf("an attempt of stream has no status: %+v", e)
			}
		}
	}
}

// A marked server is back as soon as a connect to it stands, while its session
// still lasts (since 1.11.8); and the replay of the log says so too.
func TestSessionRevivesAtItsConnect(t *testing.T) {
	for _, c := range []struct {
		version  string
		connects bool
		want     string
	}{
		{"1.22.1", true, "[b b a b a b a]"},  // as on nginx 1.22.1
		{"1.22.1", false, "[b b a b b b b]"}, // the probe hasn't come back yet
		{"1.11.7", true, "[b b a b b b b]"},  // it was no success before the session's end
	} {
		connects := c.connects
		var events []event.Event
		g, cfg := through(t, c.version, &events)
		n := 0
		session := func(now time.Duration) (*upstream.Request, string) {
			n++
			r := &upstream.Request{}
			d := r.Begin(g, nil, upstream.Arrival{ID: event.Request{Traffic: "s", N: n}}, now)
			return r, cfg.Servers[d.Peer].Name
		}
		r, _ := session(100 * time.Millisecond)
		r.Fail(100*time.Millisecond, event.Refused)
		r.Connected(100 * time.Millisecond)
		r.Relayed(200*time.Millisecond, 0)
		// a is to be picked again from 2 s on, and third in turn.
		var order []string
		var open []*upstream.Request
		for i := range 7 {
			now := 3100*time.Millisecond + time.Duration(i)*100*time.Millisecond
			r, peer := session(now)
			order = append(order, peer)
			if connects {
				r.Connected(now)
			}
			open = append(open, r)
		}
		if got := fmt.Sprint(order); got != c.want {
			t.Errorf("%s, connects %v: %s, want %s", c.version, connects, got, c.want)
		}
		for _, r := range open {
			r.Relayed(9*time.Second, 0)
		}
		var in []upstream.Recorded
		for _, e := range events {
			in = append(in, upstream.Recorded{Event: e})
		}
		if got := upstream.ReplayEvents(cfg, in, upstream.ReplayOptions{ClockError: time.Millisecond}); got.Different > 0 || got.Decisions != 17 {
			t.Errorf("connects %v: the replay: %+v", connects, got)
		}
		if connects {
			// A log that tells of no connects isn't explained.
			var silent []upstream.Recorded
			for _, r := range in {
				if r.Event.Kind != event.Connected {
					silent = append(silent, r)
				}
			}
			matter := cfg.Version.RevivesAtConnect()
			if got := upstream.ReplayEvents(cfg, silent, upstream.ReplayOptions{}); matter != (got.Different > 0) {
				t.Errorf("%s: connects matter to the replay: %v", c.version, !matter)
			}
		}
	}
}
