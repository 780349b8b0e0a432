package sim_test

import (
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// What the kernel doesn't take waits for proxy_send_timeout; a backend that reads
// in time gets the whole read time-out after that.
func TestSending(t *testing.T) {
	slow := func(read string, bytes fault.Size) fault.Rules {
		part := fault.Part{Some: read == "head" || bytes > 0, Bytes: bytes}
		return fault.Rules{{Do: mustFault(t, &fault.RespondSpec{Read: part, After: fault.For(90 * time.Second)})}}
	}
	until := func(at time.Duration, after ...fault.Rule) fault.Rules {
		return append(fault.Rules{{When: fault.When{Until: at}, Do: fault.Fault{Door: fault.Frozen}}}, after...)
	}
	for _, c := range []struct {
		name  string
		body  int64
		rules fault.Rules
		want  string
	}{
		{"large", 8 << 20, slow("head", 0), "10s ended a send_timeout 504"},
		{"small", 512 << 10, slow("head", 0), "20s ended a read_timeout 504"},
		{"read", 8 << 20, slow("all", 0), "20s ended a read_timeout 504"},
		{"room for the rest", 8 << 20, slow("", 7<<20), "20s ended a read_timeout 504"},
		{"no room", 8 << 20, slow("", 1<<10), "10s ended a send_timeout 504"},
		{"frozen", 8 << 20, frozen, "10s ended a send_timeout 504"},
		{"thawed in time", 8 << 20, until(9*time.Second, slow("all", 0)...), "29s ended a read_timeout 504"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := incident(t, `upstream u { server a; server b; }
			server { client_max_body_size 64m; location / { proxy_pass http://u; proxy_send_timeout 10s; proxy_read_timeout 20s; } }`,
				map[string]fault.Rules{"a": c.rules},
				scenario.Traffic{Name: "x", Method: "PUT", Path: "/", Body: c.body, Load: scenario.Load{At: []time.Duration{0}}})
			got := story(run(t, s), event.AttemptEnded)
			if len(got) != 2 || got[0] != c.want {
				t.Errorf("got %q, want %q first", got, c.want)
			}
		})
	}
}

// An answer to an upload that is closed at once isn't seen; one to a small request
// is, and so is one that comes once the proxy waits.
func TestAnswerCutOff(t *testing.T) {
	for _, c := range []struct {
		name, then string
		after      time.Duration
		body       int64
		want       string
	}{
		{"at once", "close", 0, 4 << 20, "0s ended a reset 502"},
		{"small", "close", 0, 4 << 10, "0s ended a passed 413"},
		{"lingering", "linger", 0, 4 << 20, "0s ended a passed 413"},
		{"later", "close", time.Second, 4 << 20, "1s ended a passed 413"},
	} {
		t.Run(c.name, func(t *testing.T) {
			do := mustFault(t, &fault.RespondSpec{Status: 413, Read: fault.Part{Some: true}, Then: c.then, After: fault.For(c.after)})
			s := incident(t, `upstream u { server a; server b; } server { client_max_body_size 0; location / { proxy_pass http://u; } }`,
				map[string]fault.Rules{"a": {{Do: do}}},
				scenario.Traffic{Name: "x", Method: "POST", Path: "/", Body: c.body, Load: scenario.Load{At: []time.Duration{0}}})
			if got := story(run(t, s), event.AttemptEnded); len(got) != 1 || got[0] != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
