//go:build e2e

// Package stream holds what the model says of TCP proxying against the real
// nginx's stream module.
package stream

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// vectors are sessions one after the other, with what nginx 1.22.1 made of them:
// the attempts of each, what its client got, and how often each server was marked.
var vectors = []struct {
	name string
	// upstream are the directives of the block, server those of the server.
	upstream, server string
	backends         string
	at               string
	want             []string
	marks            string
}{
	{name: "both refuse", upstream: "server a:1; server b:1;",
		backends: "{a:1: [{do: refuse}], b:1: [{do: refuse}]}", at: "100ms, 300ms, 500ms",
		want:  []string{"a:1 refused, b:1 refused, closed", "no live upstreams, closed", "no live upstreams, closed"},
		marks: "a:1=1 b:1=1"},
	{name: "one alone refuses and is never marked", upstream: "server a:1;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 300ms, 500ms",
		want: []string{"a:1 refused, closed", "a:1 refused, closed", "a:1 refused, closed"}},
	{name: "a failed connect counts with proxy_next_upstream off", upstream: "server a:1; server b:1;", server: "proxy_next_upstream off;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 300ms, 500ms",
		want: []string{"a:1 refused, closed", "b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=1"},
	{name: "tries", upstream: "server a:1; server b:1; server c:1;", server: "proxy_next_upstream_tries 2;",
		backends: "{a:1: [{do: refuse}], b:1: [{do: refuse}]}", at: "100ms, 300ms",
		want: []string{"a:1 refused, b:1 refused, closed", "c:1 relayed, 200"}, marks: "a:1=1 b:1=1"},
	{name: "a connect that times out", upstream: "server a:1; server b:1;", server: "proxy_connect_timeout 500ms;",
		backends: "{a:1: [{do: blackhole}]}", at: "100ms, 1300ms",
		want: []string{"a:1 connect_timeout, b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=1"},
	{name: "no time left for the next server", upstream: "server a:1; server b:1;",
		server:   "proxy_connect_timeout 500ms; proxy_next_upstream_timeout 300ms;",
		backends: "{a:1: [{do: blackhole}]}", at: "100ms, 1300ms",
		want: []string{"a:1 connect_timeout, closed", "b:1 relayed, 200"}, marks: "a:1=1"},
	{name: "silence is never counted", upstream: "server a:1; server b:1;", server: "proxy_timeout 300ms;",
		backends: "{a:1: [{do: hang}]}", at: "100ms, 1100ms, 2100ms, 3100ms",
		want: []string{"a:1 relayed, closed", "b:1 relayed, 200", "a:1 relayed, closed", "b:1 relayed, 200"}},
	{name: "a frozen server is never counted", upstream: "server a:1; server b:1;", server: "proxy_timeout 300ms;",
		backends: "{a:1: [{do: freeze}]}", at: "100ms, 1100ms, 2100ms",
		want: []string{"a:1 relayed, closed", "b:1 relayed, 200", "a:1 relayed, closed"}},
	{name: "nor are ends after the connect", upstream: "server a:1; server b:1;",
		backends: "{a:1: [{when: {request: 1}, do: reset}, {when: {request: 2}, do: close}, {when: {request: 3}, do: {close: {at: body, bytes: 1}}}, {do: {reset: {at: header}}}]}",
		at:       "100ms, 1100ms, 2100ms, 3100ms, 4100ms, 5100ms, 6100ms",
		want: []string{"a:1 relayed, closed", "b:1 relayed, 200", "a:1 relayed, closed", "b:1 relayed, 200", "a:1 relayed, 200 truncated",
			"b:1 relayed, 200", "a:1 relayed, 200 truncated"}},
	{name: "an error is an answer like any other", upstream: "server a:1; server b:1;",
		backends: "{a:1: [{do: {status: 503}}]}", at: "100ms, 300ms, 500ms",
		want: []string{"a:1 relayed, 503", "b:1 relayed, 200", "a:1 relayed, 503"}},
	{name: "back at the connect, while the session still lasts", upstream: "server a:1 fail_timeout=1s; server b:1;", server: "proxy_timeout 3s;",
		backends: "{a:1: [{when: {until: 2s}, do: refuse}, {do: hang}]}", at: "100ms, 3100ms, 3200ms, 3300ms, 3400ms, 3500ms, 3600ms, 3700ms",
		want: []string{"a:1 refused, b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200", "a:1 relayed, closed",
			"b:1 relayed, 200", "a:1 relayed, closed", "b:1 relayed, 200", "a:1 relayed, closed"}, marks: "a:1=1"},
	{name: "a failed probe", upstream: "server a:1 fail_timeout=1s; server b:1;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 3100ms, 3200ms, 3300ms, 3400ms",
		want: []string{"a:1 refused, b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200", "a:1 refused, b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=2"},
	{name: "failures add up", upstream: "server a:1 max_fails=2; server b:1;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 300ms, 500ms, 700ms",
		want: []string{"a:1 refused, b:1 relayed, 200", "b:1 relayed, 200", "a:1 refused, b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=1"},
	{name: "a backup", upstream: "server a:1; server b:1 backup;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 300ms",
		want: []string{"a:1 refused, b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=1"},
	{name: "max_conns counts sessions", upstream: "server a:1 max_conns=1; server b:1 max_conns=1;", server: "proxy_timeout 600ms;",
		backends: "{a:1: [{do: hang}], b:1: [{do: hang}]}", at: "100ms, 200ms, 300ms, 1100ms",
		want: []string{"a:1 relayed, closed", "b:1 relayed, closed", "no live upstreams, closed", "b:1 relayed, closed"}},
	{name: "least_conn", upstream: "least_conn; server a:1; server b:1;", server: "proxy_timeout 2s;",
		backends: "{a:1: [{do: hang}]}", at: "100ms, 300ms, 500ms, 700ms",
		want: []string{"a:1 relayed, closed", "b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200"}},
	{name: "weights", upstream: "server a:1 weight=3; server b:1;",
		backends: "{}", at: "100ms, 300ms, 500ms, 700ms, 900ms",
		want: []string{"a:1 relayed, 200", "a:1 relayed, 200", "b:1 relayed, 200", "a:1 relayed, 200", "a:1 relayed, 200"}},
	{name: "a zone and workers", upstream: "zone u 64k; server a:1; server b:1;",
		backends: "{a:1: [{do: refuse}]}", at: "100ms, 300ms, 500ms, 700ms",
		want: []string{"a:1 refused, b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200"}, marks: "a:1=1"},
}

func TestStream(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "stream on sim, reference and nginx", kit.Nginx, kit.Reference)
}

var _ = kit.JUnit("stream")

// engines are asked side by side; speed keeps what follows each other apart.
var engines = []harness.Engine{harness.Sim, harness.Reference, harness.Nginx}

const speed = 2

var _ = Describe("TCP proxying", func() {
	for _, v := range vectors {
		It("is nginx's own: "+v.name, func(ctx SpecContext) {
			workers := "1"
			if strings.Contains(v.upstream, "zone") {
				workers = "2"
			}
			s := written(`
    worker_processes `+workers+`;
    stream {
      upstream u { `+v.upstream+` }
      server { listen 9000; proxy_pass u; `+v.server+` }
    }`, v.backends, "{curl: {request: GET /, at: ["+v.at+"]}}")
			for _, r := range everywhere(ctx, s) {
				lines, marks := told(r)
				Expect(lines).To(Equal(v.want), "on %s", r.Engine)
				Expect(marks).To(Equal(v.marks), "on %s", r.Engine)
				explained(r)
			}
		}, SpecTimeout(2*time.Minute))
	}

	for _, method := range []string{"hash $remote_addr;", "hash $binary_remote_addr consistent;"} {
		It("reaches the peer that the client's address picks: "+method, func(ctx SpecContext) {
			s := written(`
    stream {
      upstream u { `+method+` server a:1; server b:1 weight=2; server c:1; server d:1; }
      server { listen 9000; proxy_pass u; }
    }`, "{}", "{all: {request: GET /, rate: 10/s, for: 5s, client: {address: 127.0.0.0/8}}}")
			results := everywhere(ctx, s)
			explained(results[2])
			sim, _ := told(results[0])
			reference, _ := told(results[1])
			Expect(reference).To(Equal(sim))
			if strings.Contains(method, "consistent") {
				u := s.Nginx.Upstreams[0]
				for i := range u.Servers {
					u.Servers[i].Address = results[2].Addresses[u.Servers[i].Name]
				}
				again, err := harness.Run(ctx, s, harness.Sim)
				Expect(err).NotTo(HaveOccurred())
				sim, _ = told(again)
			}
			nginx, _ := told(results[2])
			Expect(nginx).To(Equal(sim))
		}, SpecTimeout(2*time.Minute))
	}

	It("stands beside http in one configuration", func(ctx SpecContext) {
		s := written(`
    load_module modules/ngx_stream_module.so;
    http {
      server { listen 8000; access_log off; location / { proxy_pass http://web; } }
    }
    stream {
      log_format own "$remote_addr";
      server { listen 9000; proxy_pass a:1; access_log own.log own; }
      server { listen 9001; proxy_pass b:1; access_log off; }
    }`, "{}", `{http: {request: GET /, to: "8000", times: 3}, tcp: {request: GET /, to: "9000", times: 3}, other: {request: GET /, to: "9001", times: 3}}`)
		for _, r := range everywhere(ctx, s) {
			lines, _ := told(r)
			Expect(lines).To(Equal([]string{"web passed, 200", "web passed, 200", "web passed, 200",
				"b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200", "a:1 relayed, 200", "a:1 relayed, 200", "a:1 relayed, 200"}), "on %s", r.Engine)
		}
	}, SpecTimeout(2*time.Minute))
})

// written is a scenario of a configuration, backends and traffic.
func written(nginx, backends, traffic string) *scenario.Scenario {
	GinkgoHelper()
	src := "name: stream\nproxy:\n  nginx: |" + nginx + "\nbackends: " + backends + "\ntraffic: " + traffic +
		"\nexpect:\n  - log: {contains: nothing at all, count: 0}\n"
	f, problems := scenario.Parse("stream.yaml", []byte(src), nil)
	Expect(problems.Err()).NotTo(HaveOccurred(), "%s", src)
	var only []string
	for _, n := range f.Scenarios[0].Nginx.NginxOnly {
		only = append(only, n.Text)
	}
	Expect(only).To(BeEmpty())
	return f.Scenarios[0]
}

// everywhere runs a scenario on all engines.
func everywhere(ctx context.Context, s *scenario.Scenario) []*harness.Result {
	GinkgoHelper()
	results := make([]*harness.Result, len(engines))
	errs := make([]error, len(engines))
	var all sync.WaitGroup
	for i, e := range engines {
		all.Go(func() {
			for range 3 { // what the machine disturbed is repeated
				results[i], errs[i] = harness.Runner{Speed: speed}.Run(ctx, s, e)
				if errs[i] != nil || results[i].Valid() {
					return
				}
			}
		})
	}
	all.Wait()
	for i, e := range engines {
		Expect(errs[i]).NotTo(HaveOccurred(), "on %s", e)
		Expect(results[i].Invalid).To(BeEmpty(), "on %s", e)
	}
	return results
}

// told is what became of each request, in order of sending and by traffic, and the marks.
func told(r *harness.Result) (lines []string, marks string) {
	by := map[event.Request]*[]string{}
	count := map[string]int{}
	var order []event.Request
	for _, e := range r.Events {
		if e.Kind == event.PeerMarked {
			count[e.Peer]++
		}
		if e.Request.N < 1 {
			continue
		}
		if by[e.Request] == nil {
			by[e.Request] = &[]string{}
			order = append(order, e.Request)
		}
		say := by[e.Request]
		switch e.Kind {
		case event.AttemptEnded:
			*say = append(*say, e.Peer+" "+e.Outcome.String())
		case event.NoLive:
			*say = append(*say, "no live upstreams")
		case event.ResponseEnded:
			text := e.Outcome.String()
			if e.Status != 0 {
				text = fmt.Sprint(e.Status)
				if e.Outcome != event.Passed {
					text += " " + e.Outcome.String()
				}
			}
			*say = append(*say, text)
		}
	}
	slices.SortFunc(order, func(a, b event.Request) int {
		if a.Traffic != b.Traffic {
			return strings.Compare(a.Traffic, b.Traffic)
		}
		return a.N - b.N
	})
	for _, q := range order {
		say := *by[q]
		// The client may know its answer before the proxy knows that the session is over.
		slices.SortStableFunc(say, func(a, b string) int { return place(a) - place(b) })
		lines = append(lines, strings.Join(say, ", "))
	}
	for peer, n := range count {
		marks += fmt.Sprintf(" %s=%d", peer, n)
	}
	parts := strings.Fields(marks)
	slices.Sort(parts)
	return lines, strings.Join(parts, " ")
}

func place(s string) int {
	switch {
	case strings.Contains(s, ":1 "), strings.HasPrefix(s, "web "):
		return 0
	case s == "no live upstreams":
		return 1
	}
	return 2
}

// explained expects that the model takes every decision of the run as recorded.
func explained(r *harness.Result) {
	GinkgoHelper()
	for _, u := range r.Replay() {
		Expect(u.Decisions).To(BeNumerically(">", 0))
		Expect(u.Different).To(BeZero(), "on %s, of %d decisions: %v", r.Engine, u.Decisions, u.First)
	}
}
