package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/plan"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/harness/sim"
)

// BenchmarkAttempts simulates an open loop over four servers, of which one resets
// every third request, and reports the attempts per second of one core.
func BenchmarkAttempts(b *testing.B) {
	for name, nginx := range map[string]string{
		"plain":     `upstream u { server a; server b; server c; server d; } server { location / { proxy_pass http://u; } }`,
		"keepalive": `upstream u { server a; server b; server c; server d; keepalive 8; } server { location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
	} {
		b.Run(name, func(b *testing.B) {
			reset, err := (&fault.ResetSpec{}).Fault()
			if err != nil {
				b.Fatal(err)
			}
			s := incident(b, nginx, map[string]fault.Rules{"a": {{When: fault.When{Every: 3}, Do: reset}}},
				scenario.Traffic{Name: "t", Method: "GET", Path: "/", Load: scenario.Load{Rate: 1000, For: 100 * time.Second}})
			attempts := 0
			count := event.SinkFunc(func(e event.Event) {
				if e.Kind == event.AttemptEnded {
					attempts++
				}
			})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := sim.Run(context.Background(), sim.Options{Plan: plan.New(s, 1), Sink: count}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(attempts)/b.Elapsed().Seconds(), "attempts/s")
		})
	}
}
