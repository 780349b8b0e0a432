//go:build linux

package backends_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// either is a backend in either form.
type either interface {
	Addr() string
	Close() error
}

// inBoth runs a test with a backend in the process and with one of its own.
func inBoth(t *testing.T, f func(t *testing.T, start func(backends.Options) either)) {
	for name, start := range map[string]func(backends.Options) (either, error){
		"goroutines": func(o backends.Options) (either, error) { return backends.Start(placed(o)) },
		"process":    func(o backends.Options) (either, error) { return backends.StartProcess(placed(o)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, func(o backends.Options) either {
				s, err := start(o)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				})
				return s
			})
		})
	}
}

// children are the processes that this one has started as backends, with their
// states as ps shows them.
func children(t *testing.T) map[int]string {
	t.Helper()
	out := map[int]string{}
	for pid, f := range processes(t) {
		if f[1] == strconv.Itoa(os.Getpid()) && strings.Contains(commandLine(pid), "-nolive-backend-process") {
			out[pid] = f[0]
		}
	}
	return out
}

// processes are state and parent of every process.
func processes(t *testing.T) map[int][]string {
	t.Helper()
	out := map[int][]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // gone meanwhile
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		out[pid] = strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	}
	return out
}

func commandLine(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(b)
}

// A freeze is a real SIGSTOP, a refusal a real end, and numbers go on over it.
func TestProcessIsReallyStoppedAndKilled(t *testing.T) {
	ms := time.Millisecond
	clk, rec, log := clock.New(1), &record{}, &journal{}
	rules := append(during(t, 1000*ms, 2000*ms, door(fault.Frozen)), during(t, 3000*ms, 4000*ms, door(fault.Refusing))...)
	rules = append(rules, fault.Rule{When: fault.When{Request: fault.Range{From: 3, To: 3}}, Do: meaning(t, &fault.StatusSpec{Code: 503})})
	p, err := backends.StartProcess(placed(backends.Options{Name: "app1", Rules: rules, Clock: clk, Sink: rec, Log: log}))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	first := children(t)
	if len(first) != 2 { // the one that serves and the one that will
		t.Errorf("%d processes, want 2", len(first))
	}
	clk.Begin(time.Now())
	c := dial(t, p.Addr())
	r := bufio.NewReader(c)
	if got := ask(t, c, r); got != 200 {
		t.Errorf("got %d", got)
	}
	eventually(t, "the freeze", func() bool { return len(rec.of(event.FaultOn)) == 1 })
	stopped := 0
	for _, state := range children(t) {
		if state == "T" {
			stopped++
		}
	}
	if stopped != 1 && clk.Now() < 2000*ms {
		t.Errorf("%d processes are stopped, want 1", stopped)
	}
	if got := ask(t, c, r); got != 200 {
		t.Errorf("got %d", got)
	}
	eventually(t, "news of the second request", func() bool { return len(rec.of(event.BackendGot)) == 2 })
	if at := rec.of(event.BackendGot)[1].At; at < 2000*ms && rec.of(event.FaultOn)[0].At < 1900*ms {
		t.Errorf("it was read at %v, during the freeze", at)
	}
	eventually(t, "the refusal", func() bool { return len(rec.of(event.FaultOn)) == 2 })
	if _, how := rest(c); how != "fin" && how != "rst" {
		t.Errorf("the open connection: %s", how)
	}
	eventually(t, "its end", func() bool { return len(rec.of(event.FaultOff)) == 2 })
	c = dial(t, p.Addr())
	if got := ask(t, c, bufio.NewReader(c)); got != 503 {
		t.Errorf("the third request got %d, want 503", got)
	}
	for pid := range children(t) {
		if first[pid] == "" {
			t.Errorf("process %d is none of those of the beginning", pid)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if got := log.of("request"); len(got) != 3 || got[2].Request != 3 || got[2].Connection != 2 || got[2].Rule != 3 {
		t.Errorf("the log has %+v", got)
	}
}

// Every kind of fault means the same in a process as in goroutines.
func TestProcessDoesWhatRulesSay(t *testing.T) {
	inBoth(t, func(t *testing.T, start func(backends.Options) either) {
		for want, spec := range map[string]fault.Spec{
			"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 20\r\n\r\nService Unavailable\n fin": &fault.StatusSpec{Code: 503},
			cutHead + "comp rst":              &fault.ResetSpec{CutSpec: fault.CutSpec{At: "body", RespondSpec: fault.RespondSpec{Body: cutBody}}},
			cutHead + "complete fin":          &fault.DripSpec{Every: time.Millisecond, RespondSpec: fault.RespondSpec{Body: cutBody}},
			cutHead[:len(cutHead)/2] + " fin": &fault.CloseSpec{CutSpec: fault.CutSpec{At: "header", RespondSpec: fault.RespondSpec{Body: cutBody, After: fault.For(20 * time.Millisecond)}}},
		} {
			c := dial(t, start(backends.Options{Rules: always(t, spec)}).Addr())
			send(t, c, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			if got, how := rest(c); got+" "+how != want {
				t.Errorf("got %q %s, want %q", got, how, want)
			}
		}
	})
}

// A process that is stopped, or serves, or only waits to, ends when the program
// that started it is killed, and when that panics, as a test may.
func TestProcessesEndWithTheHarness(t *testing.T) {
	for how, end := range map[string]func(*exec.Cmd, io.Writer) error{
		"killed": func(cmd *exec.Cmd, _ io.Writer) error { return cmd.Process.Signal(syscall.SIGKILL) },
		"panics": func(_ *exec.Cmd, in io.Writer) error { _, err := io.WriteString(in, "panic\n"); return err },
	} {
		t.Run(how, func(t *testing.T) { endsWith(t, end) })
	}
}

// endsWith starts a program with three backends' processes, has it end, and holds
// that nothing of them is left.
func endsWith(t *testing.T, end func(*exec.Cmd, io.Writer) error) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NOLIVE_TEST_HARNESS=1", "TMPDIR="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for pid, f := range processes(t) {
		if f[1] == strconv.Itoa(cmd.Process.Pid) {
			pids = append(pids, pid)
		}
	}
	want := 3
	if overUnix {
		want += 3 // what removes the files
	}
	if len(pids) != want {
		t.Errorf("%d processes, want %d", len(pids), want)
	}
	if err := end(cmd, in); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() == 1 {
		t.Errorf("it ended with %v: %s", err, errs.String())
	}
	eventually(t, "the end of all", func() bool {
		for _, pid := range pids {
			if f := processes(t)[pid]; f != nil && f[0] != "Z" && f[0] != "X" {
				return false
			}
		}
		return true
	})
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("it left %v, %v", files, err)
	}
	for _, addr := range strings.Fields(line) {
		if c, err := connect(addr, patience); err == nil {
			c.Close()
			t.Errorf("%s is still listened on", addr)
		}
	}
}

// harness is the program of TestProcessesEndWithTheHarness: a frozen backend, and
// one that will be killed and followed by another.
func harness() {
	freeze, _ := (&fault.FreezeSpec{}).Fault()
	refuse, _ := (&fault.RefuseSpec{}).Fault()
	for _, rules := range []fault.Rules{
		{{Do: freeze}}, {{When: fault.When{From: time.Hour, Until: 2 * time.Hour}, Do: refuse}},
	} {
		p, err := backends.StartProcess(placed(backends.Options{Rules: rules}))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Print(p.Addr(), " ")
	}
	// One in this process too, with a connection under way.
	s, err := backends.Start(placed(backends.Options{Rules: fault.Rules{{Do: freeze}}}))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Addr())
	bufio.NewReader(os.Stdin).ReadString('\n')
	panic("a panic in a test")
}

func TestMain(m *testing.M) {
	if os.Getenv("NOLIVE_TEST_NO_HOOK") == "" {
		backends.Child()
	} else if len(os.Args) == 1 { // the program; as a backend it goes on like any other that has no hook
		_, err := backends.StartProcess(backends.Options{})
		fmt.Println(err)
		os.Exit(0)
	}
	if os.Getenv("NOLIVE_TEST_SHORT") != "" {
		short()
	}
	if what := os.Getenv("NOLIVE_TEST_CLIENTS"); what != "" {
		clients(what)
	}
	if os.Getenv("NOLIVE_TEST_HARNESS") != "" {
		harness()
	}
	os.Exit(m.Run())
}

// What a backend's rules hold gets to the process whole, whatever the kind.
func TestOrdersHoldEveryFault(t *testing.T) {
	for _, k := range fault.Kinds() {
		f, err := k.New().Fault()
		if err != nil {
			continue // can't be written as a bare word
		}
		in := fault.Rules{{Do: f, When: fault.When{Header: map[string]string{"A": "*"}, From: 1, Request: fault.Range{From: 1}}}}
		out, err := backends.ThroughOrders(in)
		if err != nil || !reflect.DeepEqual(in, out) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", k.Name, err, out, in)
		}
	}
}

func TestProgramsWithoutTheHookAreTold(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NOLIVE_TEST_NO_HOOK=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, want := string(out), "backend : its process: this program can't be started again as a backend: call backends.Child() first in main, or in TestMain\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
