package harness_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/check"
)

// A scenario is a file beside the test. Simulated, a minute of it takes
// milliseconds; harness.Reference and harness.Nginx run the same file on sockets.
func ExampleRun() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "refuse.yaml")
	os.WriteFile(path, []byte(`
name: refuse
about: One of two backends refuses for 20 s; no client sees an error.
proxy:
  nginx: |
    upstream app {
      server app1:8080;
      server app2:8080;
    }
    server {
      location / { proxy_pass http://app; }
    }
backends:
  app1:8080:
    - when: {from: 10s, until: 30s}
      do: refuse
traffic:
  users: {request: GET /, rate: 5/s, for: 60s}
expect:
  - status: {of: users, is: 200}
  - marked: {backend: app1:8080, times: ">= 1"}
`), 0o644)

	file, err := harness.Load(path)
	if err != nil {
		fmt.Println(err) // all mistakes, each with its line and column
		return
	}
	result, err := harness.Run(context.Background(), file.Scenarios[0], harness.Sim)
	if err != nil {
		fmt.Println(err) // the engine could not run
		return
	}
	fmt.Println("valid:", result.Valid(), "holds:", result.OK())
	for _, v := range result.Verdicts {
		fmt.Printf("%s: want %s, got %s\n", v.Check, v.Want, v.Got)
	}

	// The run's events were kept, so more can be asked.
	more := result.Judge(check.Attempts{Backend: "app1:8080", Outcome: "refused", Count: check.Exactly(2)})
	fmt.Println(more.Check, more.OK)

	// Output:
	// valid: true holds: true
	// status: {of: users, is: 200}: want all, got 300 of 300
	// marked: {backend: app1:8080, times: ">= 1"}: want >= 1, got 2 (at 10.0s, 21.4s)
	// attempts: {backend: app1:8080, outcome: refused, count: 2} true
}
