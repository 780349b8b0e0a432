package backends_test

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
)

// descriptors is the number of this process's open files.
func descriptors(t testing.TB) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(files)
}

// Whatever goes on, nothing is left when Close returns.
func TestCloseLeavesNothing(t *testing.T) {
	g := gomega.NewWithT(t)
	hour := fault.RespondSpec{After: fault.For(time.Hour)}
	for name, rules := range map[string]fault.Rules{
		"healthy":   nil,
		"waiting":   always(t, &hour),
		"hanging":   always(t, &fault.HangSpec{}),
		"dripping":  always(t, &fault.DripSpec{Every: time.Millisecond, RespondSpec: fault.RespondSpec{Size: 10_000}}),
		"endless":   always(t, &fault.EndlessSpec{Every: 10 * time.Millisecond}),
		"writing":   always(t, &fault.RespondSpec{Size: 1 << 30}),
		"resetting": always(t, &fault.ResetSpec{CutSpec: fault.CutSpec{At: "body", RespondSpec: fault.RespondSpec{Size: 64 << 20}}}),
		"closing":   always(t, &fault.CloseSpec{}),
		"accepting": always(t, &fault.CloseSpec{CutSpec: fault.CutSpec{At: "accept", RespondSpec: hour}}),
		"frozen":    always(t, door(fault.Frozen)),
		"freezing":  append(during(t, 20*time.Millisecond, 0, door(fault.Frozen)), always(t, &hour)...),
		"refusing":  append(during(t, 20*time.Millisecond, 0, door(fault.Refusing)), always(t, &hour)...),
		"gone":      append(during(t, 20*time.Millisecond, 0, door(fault.Blackholed)), always(t, &hour)...),
	} {
		if overUnix && name == "gone" {
			continue
		}
		for _, begins := range []string{"begun", "not begun"} {
			goroutines, files := gleak.Goroutines(), descriptors(t)
			clk := clock.New(1)
			if begins == "begun" {
				clk.Begin(time.Now())
			}
			s, err := backends.Start(placed(backends.Options{Rules: rules, Clock: clk}))
			if err != nil {
				t.Fatal(err)
			}
			clients := 0
			for range 3 {
				// Some doors are shut by now.
				c, err := connect(s.Addr(), 200*time.Millisecond)
				if err != nil {
					continue
				}
				io.WriteString(c, get+"GET")
				if begins == "begun" {
					// Some are in the middle of it, some are gone already.
					time.Sleep(10 * time.Millisecond)
				}
				if name == "frozen" {
					c.Close()
					continue
				}
				defer c.Close()
				clients++
			}
			begun := time.Now()
			if err := s.Close(); err != nil {
				t.Errorf("%s, %s: %v", name, begins, err)
			}
			took := time.Since(begun)
			if err := s.Close(); err != nil {
				t.Errorf("%s, %s: closing again: %v", name, begins, err)
			}
			if took > 3*time.Second {
				t.Errorf("%s, %s: closing took %v", name, begins, took)
			}
			if n := s.Connections(); n != 0 {
				t.Errorf("%s, %s: %d connections are left", name, begins, n)
			}
			// The clients are this test's own.
			if n := descriptors(t) - clients; n > files {
				t.Errorf("%s, %s: %d descriptors, %d before", name, begins, n, files)
			}
			g.Eventually(gleak.Goroutines, patience).ShouldNot(gleak.HaveLeaked(goroutines), name+", "+begins)
		}
	}
}

func TestEndedConnectionsAreReleased(t *testing.T) {
	s := start(t, backends.Options{})
	files := descriptors(t)
	for range 200 {
		c := dial(t, s.Addr())
		send(t, c, strings.Replace(get, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1))
		rest(c)
		c.Close()
	}
	eventually(t, "all connections to end", func() bool { return s.Connections() == 0 })
	if n := descriptors(t); n > files {
		t.Errorf("%d descriptors, %d before", n, files)
	}
}

func TestCloseSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	s, err := backends.Start(backends.Options{Name: "app1"})
	if err != nil {
		t.Fatal(err)
	}
	release := s.Hold()
	defer release()
	begun := time.Now()
	err = s.Close()
	if want := "backend app1: close: still waiting for 1 connection"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if took := time.Since(begun); took < 5*time.Second {
		t.Errorf("it gave up after %v, want 5s", took)
	}
	if again := s.Close(); again != err {
		t.Errorf("closing again gave %v, want the same", again)
	}
}
