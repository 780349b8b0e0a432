package plan

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/scenario"
)

// The plan is written in order of time, whatever the instants belong to.
func TestWrittenInOrder(t *testing.T) {
	const src = `name: a
proxy: {nginx: "server { location / { proxy_pass http://app1; } }"}
backends:
  app1: [{when: {from: 2s, until: 4s}, do: refuse}]
traffic:
  late: {request: GET /, at: [5s, 0s]}
  open: {request: GET /, rate: 1/s, for: 6s}
  users: {request: GET /, users: 4, times: 2, start: 0s..6s, pause: 1s}
expect: [{log: {contains: x, count: 0}}]
`
	f, ps := scenario.Parse("a.yaml", []byte(src), nil)
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := New(f.Scenarios[0], 7).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(` at (\S+)`)
	last, instants, waits := time.Duration(0), 0, 0
	kinds := map[string]int{}
	for _, line := range strings.Split(b.String(), "\n") {
		m := at.FindStringSubmatch(line)
		if m == nil {
			if strings.Contains(line, " waits ") {
				waits++
			}
			continue
		}
		d, err := time.ParseDuration(m[1])
		if err != nil {
			t.Fatal(line, err)
		}
		if d < last {
			t.Errorf("%q comes after %v:\n%s", line, last, b.String())
		}
		last = d
		instants++
		kinds[strings.Fields(line)[0]]++
	}
	// Three states of the door, two and six requests, four users with two each.
	if kinds["backend"] != 3 || kinds["request"] != 8 || kinds["user"] != 4 || waits != 8 {
		t.Errorf("%v and %d waits:\n%s", kinds, waits, b.String())
	}
}
