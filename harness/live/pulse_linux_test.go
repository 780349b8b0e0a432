package live

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/harness/clock"
)

// A machine that stands still is a process that is stopped: the pulse tells for how
// long, in scenario time.
func TestPulseTellsAStall(t *testing.T) {
	const speed, stall = 30, 400 * time.Millisecond
	if os.Getenv("NOLIVE_TEST_PULSE") != "" {
		c := clock.New(speed)
		done := make(chan struct{})
		ended := make(chan struct{})
		go func() { defer close(ended); pulse(c, done) }()
		for c.Lateness().Jitter(clock.Stall).Count == 0 {
			time.Sleep(beat)
		}
		fmt.Println("beating")
		_, _ = os.Stdin.Read(make([]byte, 1))
		close(done)
		<-ended
		fmt.Println(c.Lateness().Max(clock.Stall))
		os.Exit(0)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPulseTellsAStall$")
	cmd.Env = append(os.Environ(), "NOLIVE_TEST_PULSE=1")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	text := make([]byte, 100)
	if _, err := out.Read(text); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	stopped(t, cmd.Process.Pid)
	time.Sleep(stall) // how long it stands still is what is asked for
	_ = cmd.Process.Signal(syscall.SIGCONT)
	_ = in.Close()
	n, err := out.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := time.ParseDuration(strings.TrimSpace(string(text[:n])))
	if err != nil {
		t.Fatal(err)
	}
	if least := speed * (stall - beat); got < least {
		t.Errorf("stood still for %v of scenario time, told %v", least, got)
	}
}

// stopped waits until the process stands.
func stopped(t *testing.T, pid int) {
	t.Helper()
	for {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, _ := strings.Cut(string(b), ") "); strings.HasPrefix(rest, "T") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Beats go round all processors that we have.
func TestProcessorsInTurn(t *testing.T) {
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	p := newProcessors()
	if len(p.numbers) != runtime.NumCPU() {
		t.Fatalf("%v, and there are %d", p.numbers, runtime.NumCPU())
	}
	for range 2 {
		for _, n := range p.numbers {
			p.next()
			var on unix.CPUSet
			if err := unix.SchedGetaffinity(0, &on); err != nil {
				t.Fatal(err)
			}
			if len(p.numbers) > 1 && (on.Count() != 1 || !on.IsSet(n)) {
				t.Errorf("on %v, want on %d alone", on, n)
			}
		}
	}
}
