package harness_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

// The model explains every decision that it took itself.
func TestReplayExplains(t *testing.T) {
	for _, name := range []string{"frozen-backend-curl-loop", "one-request-locks-every-worker", "one-of-two-refuses", "http-500-not-counted"} {
		for _, s := range shipped(t, name).Scenarios {
			r := run(t, harness.Runner{}, s, harness.Sim)
			decisions := 0
			for _, u := range r.Replay() {
				decisions += u.Decisions
				if u.Different > 0 || u.First != nil {
					t.Errorf("%s: %d differ: %v", s.Title(), u.Different, u.First)
				}
			}
			// One for each request that came, one for each attempt that ended.
			want := 0
			for _, e := range r.Events {
				if e.Kind == event.AttemptEnded || e.Kind == event.AttemptStarted && e.Try == 1 || e.Kind == event.NoLive && len(r.Events) > 0 && first(r.Events, e) {
					want++
				}
			}
			if decisions != want {
				t.Errorf("%s: %d decisions, want %d", s.Title(), decisions, want)
			}
		}
	}
}

// first says whether a "no live upstreams" is the first word on its request.
func first(events []event.Event, noLive event.Event) bool {
	return !slices.ContainsFunc(events, func(e event.Event) bool {
		return e.Kind == event.AttemptStarted && e.Request == noLive.Request
	})
}

// A decision that the model would not have taken is named, with the state of
// the peers on both sides of it.
func TestReplayNamesTheFirstDifference(t *testing.T) {
	s := shipped(t, "frozen-backend-curl-loop").Scenarios[0]
	whole := run(t, harness.Runner{}, s, harness.Sim).Events
	const out = "10.10.10.215:8000" // for 50 s from the end of request 1
	for name, c := range map[string]struct {
		change func(e *event.Event) bool // whether the event stays
		at     string
	}{
		"a peer that was out": {func(e *event.Event) bool {
			if e.Request.N == 5 && e.Peer != "" {
				e.Peer = out
			}
			return true
		}, "curl/5 came: model: try 10.10.10.21"},
		"a mark that is missing": {func(e *event.Event) bool { return e.Kind != event.PeerMarked || e.Request.N != 11 }, "curl/11"},
		"given up too early": {func(e *event.Event) bool {
			if e.Request.N == 1 && e.Try == 2 {
				return false
			}
			if e.Request.N == 1 && e.Kind == event.ProxyAnswered {
				e.Status = 504
			}
			return true
		}, "curl/1 try 1 on 10.10.10.215:8000 ended: read_timeout: model: mark 10.10.10.215:8000, try "},
	} {
		t.Run(name, func(t *testing.T) {
			var events []event.Event
			for _, e := range whole {
				if c.change(&e) {
					events = append(events, e)
				}
			}
			u := harness.Replay(s, events, 0)[0]
			if u.Upstream != "apibackend" || u.Different == 0 || u.First == nil {
				t.Fatalf("%+v", u)
			}
			if text := u.First.String(); !strings.Contains(text, c.at) || strings.Count(text, "before ") != 3 || strings.Count(text, "after ") != 3 {
				t.Errorf("want %q in\n%s", c.at, text)
			}
		})
	}
}

// Stamps that are off by less than the clock error are explained, those that are
// off by seconds aren't.
func TestReplayBearsTheClockError(t *testing.T) {
	s := shipped(t, "one-of-two-refuses").Scenarios[0]
	whole := run(t, harness.Runner{}, s, harness.Sim).Events
	shift := func(by time.Duration) []event.Event {
		events := slices.Clone(whole)
		for i := range events {
			if i%2 == 0 {
				events[i].At += by
			}
		}
		slices.SortStableFunc(events, func(a, b event.Event) int { return int(a.At - b.At) })
		return events
	}
	if u := harness.Replay(s, shift(2*time.Millisecond), 5*time.Millisecond)[0]; u.Different > 0 {
		t.Errorf("2 ms off with a clock error of 5 ms: %v", u.First)
	}
	if u := harness.Replay(s, shift(3*time.Second), 5*time.Millisecond)[0]; u.Different == 0 {
		t.Error("3 s off are explained")
	}
}

// Every upstream has its own replay, the implicit one of a literal proxy_pass too.
func TestReplayByUpstream(t *testing.T) {
	src := strings.Replace(refusing, "location / { proxy_pass http://app; }", "location / { proxy_pass http://app; } location /own { proxy_pass http://lone:80; }", 1)
	src = strings.Replace(src, "expect:", "  more: {request: GET /own, times: 3}\nexpect:", 1)
	r := run(t, harness.Runner{}, parse(t, "x.yaml", src).Scenarios[0], harness.Sim)
	var got []string
	for _, u := range r.Replay() {
		if u.Different > 0 || u.Decisions == 0 {
			t.Errorf("%+v", u)
		}
		got = append(got, u.Upstream)
	}
	if !slices.Equal(got, []string{"app", "lone:80"}) {
		t.Errorf("%v", got)
	}
}

// A request that a backend sends elsewhere comes to a second upstream, or to the same one
// again, as a GET: the model explains both passes, whoever asks.
func TestReplayExplainsAccelRedirect(t *testing.T) {
	const src = `name: accel
proxy:
  nginx: |
    upstream app { PICK server app1:8080; server app2:8080; server app3:8080; }
    upstream store { ip_hash; server store1:8080; server store2:8080; }
    server {
      listen 80;
      location / { proxy_pass http://app; }
      location /in { internal; proxy_pass http://UPSTREAM; }
    }
backends:
  "*":
    - when: {path: /in}
      do: reset
    - do: {respond: {status: 200, headers: {X-Accel-Redirect: /in}}}
traffic:
  users: {request: POST /, rate: 3/s, for: 60s, client: {address: 127.0.0.0/16}}
expect:
  - status: {of: users, is: 502, count: "> 0"}
`
	for name, decisions := range map[string]int{"app": 1, "store": 2} {
		pick := map[string]string{"app": "hash $uri;"}[name] // one that is another in the second pass
		r := run(t, harness.Runner{}, parse(t, "x.yaml", strings.NewReplacer("UPSTREAM", name, "PICK", pick).Replace(src)).Scenarios[0], harness.Sim)
		explained := 0
		for _, u := range r.Replay() {
			if u.Different > 0 {
				t.Errorf("by way of %s: %d of %d differ: %v", name, u.Different, u.Decisions, u.First)
			}
			if u.Decisions > 0 {
				explained++
			}
		}
		if explained != decisions {
			t.Errorf("by way of %s: decisions in %d upstreams, want %d", name, explained, decisions)
		}
		again := slices.ContainsFunc(r.Events, func(e event.Event) bool { return e.Kind == event.AttemptStarted && e.Try == 3 })
		if !again {
			t.Errorf("by way of %s: no GET of a second pass was tried again", name)
		}
	}
}

// An error page that asks the same upstream again begins there anew, whatever it
// took the place of: an attempt that nginx gave up, a status, nobody to ask.
func TestReplayExplainsErrorPages(t *testing.T) {
	const src = `name: pages
proxy:
  nginx: |
    upstream app { server app1:8080; server app2:8080; server app3:8080; }
    server {
      listen 80;
      error_page 404 502 504 = @again;
      proxy_intercept_errors on;
      location / { proxy_pass http://app; NEXT }
      location @again { proxy_pass http://app; NEXT }
    }
backends:
  app1:8080:
    - do: DO
  app2:8080:
    - when: {until: 25s}
      do: DO
  app3:8080:
    - when: {from: 10s, until: 25s}
      do: DO
traffic:
  users: {request: GET /, rate: 3/s, for: 60s}
expect:
  - status: {of: users, is: 200, count: "> 0"}
`
	for _, next := range []string{"", "proxy_next_upstream off;", "proxy_next_upstream_tries 2;", "proxy_read_timeout 1s; proxy_next_upstream_timeout 1s;"} {
		for _, do := range []string{"reset", "hang", "{status: 404}"} {
			s := parse(t, "x.yaml", strings.NewReplacer("NEXT", next, "DO", do).Replace(src)).Scenarios[0]
			r := run(t, harness.Runner{}, s, harness.Sim)
			u := r.Replay()[0]
			if u.Different > 0 {
				t.Errorf("%s %s: %d of %d differ: %v", next, do, u.Different, u.Decisions, u.First)
			}
			again := 0
			for _, e := range r.Events {
				if e.Kind == event.AttemptStarted && e.Try > 1 {
					again++
				}
			}
			if again < 5 {
				t.Errorf("%s %s: %d attempts of error pages", next, do, again)
			}
		}
	}
}
