package harness_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness"
)

// What reaches a client through stream is judged by the client alone: a simulated one
// says of each answer what one on sockets does.
func TestSessionsAreJudgedAlike(t *testing.T) {
	answers := []string{
		"{reset: {at: body, framing: close, size: 2KiB}}",
		"{hang: {at: body, framing: close, size: 2KiB}}",
		"{close: {at: header, interim: 103}}",
		"{close: {at: header, bytes: 5, interim: 103}}",
		"{respond: {interim: 103}}",
		"{respond: {body: hello, length: 100, headers: {Connection: close}}}",
		`{respond: {headers: {X-A: "a\x01b"}}}`,
		"{respond: {header_size: 1025KiB}}",
		"{upgrade: {then: cut, with: reset}}",
		"{upgrade: stall}",
	}
	for _, what := range fault.Malformations() {
		answers = append(answers, "{malformed: "+what+"}")
	}
	var rules, traffic strings.Builder
	for i, do := range answers {
		fmt.Fprintf(&rules, "    - when: {path: /%d}\n      do: %s\n", i, do)
		for _, method := range []string{"GET", "HEAD", "POST"} {
			fmt.Fprintf(&traffic, "  %s%d: {request: %s /%d, times: 1}\n", strings.ToLower(method), i, method, i)
		}
	}
	s := parse(t, "sessions.yaml", `name: sessions
proxy:
  nginx: |
    stream {
      upstream u { server a:80 max_fails=0; }
      server { listen 9000; proxy_pass u; proxy_timeout 10s; }
    }
backends:
  a:80:
`+rules.String()+"max_speed: 20\njitter: 3s # nothing but proxy_timeout counts on time\ntraffic:\n"+traffic.String()+`expect:
  - status: {of: get0, is: 200}
`).Scenarios[0]
	sim := run(t, harness.Runner{}, s, harness.Sim)
	reference, err := harness.Runner{}.Run(context.Background(), s, harness.Reference)
	if err != nil || !reference.Valid() {
		t.Fatal(err, reference.Invalid)
	}
	for _, d := range harness.Compare(sim, reference) {
		t.Error("sim, reference: ", d)
	}
}
