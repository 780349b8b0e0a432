package sim_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// A process that hangs with its connection kept never reads the next request on it:
// when its port closes, the kernel resets that connection. With nothing unread it is
// closed.
func TestClosingOnAnUnreadRequest(t *testing.T) {
	const conf = `upstream u { server a:80; keepalive 4; } server { location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; } }`
	closes := fault.Rule{When: fault.When{From: 2 * time.Second}, Do: fault.Fault{Door: fault.Refusing}}
	hang := fault.RespondSpec{After: fault.For(100 * time.Millisecond), Then: "hang"}
	kept, err := hang.Fault()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		do   fault.Fault
		want []string
	}{
		{kept, []string{"1.1s ended a:80 passed 200", "2s ended a:80 reset 502", "2s ended a:80 refused 502"}},
		{fault.Fault{OnReuse: fault.Stall}, []string{"1s ended a:80 passed 200", "2s ended a:80 closed 502", "2s ended a:80 refused 502"}},
	} {
		s := incident(t, conf, map[string]fault.Rules{"a:80": {closes, {Do: tt.do}}},
			scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{time.Second, 1500 * time.Millisecond}}})
		if diff := cmp.Diff(tt.want, story(run(t, s), event.AttemptEnded)); diff != "" {
			t.Errorf("want -, got +\n%s", diff)
		}
	}
}
