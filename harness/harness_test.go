package harness_test

import (
	"context"
	"testing"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

// refusing has a backend that refuses from the start, and five requests.
const refusing = `name: refusing
proxy:
  nginx: |
    upstream app { server app1:8080; server app2:8080; server app3:8080; }
    server { location / { proxy_pass http://app; } }
backends:
  app1:8080:
    - do: refuse
traffic:
  users: {request: GET /, times: 5, pause: 1s}
expect:
  - status: {of: users, is: 200, count: 5}
  - marked: {backend: app1:8080, times: 1}
`

// parse is the file of a text.
func parse(t testing.TB, name, src string) *scenario.File {
	t.Helper()
	f, problems := scenario.Parse(name, []byte(src), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return f
}

// shipped is the file of a shipped scenario.
func shipped(t testing.TB, name string) *scenario.File {
	t.Helper()
	src, ok := scenarios.Source(name)
	if !ok {
		t.Fatalf("no shipped scenario %s", name)
	}
	return parse(t, name+".yaml", string(src))
}

// run runs a scenario and fails the test if its engine can't.
func run(t testing.TB, r harness.Runner, s *scenario.Scenario, e harness.Engine) *harness.Result {
	t.Helper()
	res, err := r.Run(context.Background(), s, e)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
