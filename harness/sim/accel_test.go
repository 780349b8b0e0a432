package sim_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// A backend says itself whether its answer is buffered: a chunk that breaks isn't
// looked at while it waits in a page that isn't full, so that only the read time-out
// ends it.
func TestAccelBuffering(t *testing.T) {
	for _, c := range []struct{ name, line, directives, want string }{
		{"nothing", "", "", "1m1s"},
		{"no", "X-Accel-Buffering: no\r\n", "", "1s"},
		{"NO", "x-accel-buffering: NO\r\n", "", "1s"},
		{"off is no word", "X-Accel-Buffering: off\r\n", "", "1m1s"},
		{"yes", "X-Accel-Buffering: yes\r\n", "proxy_buffering off;", "1m1s"},
		{"unbuffered", "", "proxy_buffering off;", "1s"},
		{"ignored", "X-Accel-Buffering: no\r\n", "proxy_ignore_headers X-Accel-Buffering;", "1m1s"},
		{"another ignored", "X-Accel-Buffering: no\r\n", "proxy_ignore_headers Vary;", "1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			do := mustFault(t, &fault.MalformedSpec{What: "broken_chunk"})
			r := &do.Script.Response
			r.Head = bytes.Replace(r.Head, []byte("\r\n"), []byte("\r\n"+c.line), 1)
			first := int64(len(r.Head) + len("5\r\nhello\r\n"))
			do.Script.Steps = []fault.Step{{Op: fault.ReadAll}, {Op: fault.Write, Len: first}, {Op: fault.Wait, For: time.Second}, {Op: fault.Write, Len: -1}, {Op: fault.Stall}}
			s := incident(t, "upstream u { server a; } server { location / { proxy_pass http://u; "+c.directives+" } }",
				map[string]fault.Rules{"a": {{Do: do}}},
				scenario.Traffic{Name: "x", Method: "GET", Path: "/", Load: scenario.Load{At: []time.Duration{0}}})
			got := story(run(t, s), event.ResponseEnded)
			if want := c.want + " response truncated 200"; len(got) != 1 || got[0] != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
