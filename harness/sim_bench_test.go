package harness_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

// hour is the shipped slow-report: an hour of 11 requests a second over four
// servers, of which six end in a time-out or in "no live upstreams".
func hour(t testing.TB) *scenario.Scenario {
	t.Helper()
	src, _ := scenarios.Source("slow-report")
	f, problems := scenario.Parse("slow-report.yaml", src, scenarios.FS)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return f.Scenarios[0]
}

// BenchmarkHour simulates slow-report with all its checks, lanes and summary,
// and reports scenario seconds per wall second and attempts per second.
func BenchmarkHour(b *testing.B) {
	s := hour(b)
	b.ReportAllocs()
	var simulated time.Duration
	for b.Loop() {
		r, err := harness.Runner{Keep: harness.KeepNothing}.Run(context.Background(), s, harness.Sim)
		if err != nil {
			b.Fatal(err)
		}
		simulated += r.End
	}
	b.ReportMetric(simulated.Seconds()/b.Elapsed().Seconds(), "scenario-s/s")
}

// TestMemoryDoesNotGrowWithTheRun simulates one hour and eight, and compares
// what lives on the heap while they run.
func TestMemoryDoesNotGrowWithTheRun(t *testing.T) {
	short, long := livingHeap(t, 1), livingHeap(t, 8)
	t.Logf("at most %d KiB alive in an hour, %d KiB in eight", short>>10, long>>10)
	// Noise of a few hundred KiB is the collector's; the events of seven hours
	// would be 300 MB.
	if long > short+short/2+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", short, long)
	}
}

// livingHeap simulates so many hours without keeping events and returns the
// largest heap that survived a collection on the way.
func livingHeap(t *testing.T, hours int) uint64 {
	s := *hour(t)
	s.Traffic = append([]scenario.Traffic(nil), s.Traffic...)
	for i := range s.Traffic {
		s.Traffic[i].Load.For = time.Duration(hours) * time.Hour
	}
	// Twice, as what earlier tests left in pools outlives one collection.
	runtime.GC()
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	peak, calls := uint64(0), 0
	run := harness.Runner{Keep: harness.KeepNothing, Progress: func(time.Duration, time.Duration) {
		if calls++; calls%4 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
		}
	}}
	if _, err := run.Run(context.Background(), &s, harness.Sim); err != nil {
		t.Fatal(err)
	}
	if peak == 0 {
		t.Fatal("nothing was measured")
	}
	return peak
}
