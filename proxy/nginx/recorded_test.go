package nginx

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
)

var update = flag.Bool("update", false, "write the events of the recorded logs anew")

// TestRecorded turns the logs of real runs, kept in testdata, into events. Each
// folder holds the configuration, both logs, and what is known of the run; the
// tests with -record make them.
func TestRecorded(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*/run")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, d := range dirs {
		d = filepath.Dir(d)
		t.Run(filepath.Base(d), func(t *testing.T) {
			got := replay(t, d)
			file := filepath.Join(d, "events")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// replay is what Close does with the logs.
func replay(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "nginx.conf"))
	if err != nil {
		t.Fatal(err)
	}
	tree, problems := nginxconf.Parse("nginx.conf", text, nil)
	conf, more := nginxconf.Interpret(tree)
	if len(problems)+len(more) > 0 {
		t.Fatal(problems, more)
	}
	p := &Process{prefix: prefix{dir: dir}, opts: Options{Config: conf, Backends: map[string]string{}}.withDefaults()}
	f, err := os.Open(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		k, v, _ := strings.Cut(s.Text(), " ")
		switch k {
		case "origin":
			fmt.Sscan(v, &p.origin.second)
		case "stopped":
			fmt.Sscan(v, &p.end.msec, &p.end.errors)
		case "version":
			p.bin, _ = parseVersion("nginx version: nginx/" + v)
		default:
			p.opts.Backends[k] = v
		}
	}
	var b strings.Builder
	var last time.Duration
	p.opts.Sink = event.SinkFunc(func(e event.Event) {
		if e.At < last {
			t.Errorf("%v comes after %v", e.At, last)
		}
		last = e.At
		b.WriteString(eventText(e) + "\n")
	})
	if err := p.emit(p.end); err != nil {
		t.Fatal(err)
	}
	for _, a := range p.alerts {
		b.WriteString("alert: " + a + "\n")
	}
	return b.String()
}

// eventText is one event as a line: only the fields that are set.
func eventText(e event.Event) string {
	s := fmt.Sprintf("%v %v", e.At, e.Kind)
	add := func(name string, v any, set bool) {
		if set {
			s += fmt.Sprintf(" %s=%v", name, v)
		}
	}
	add("request", e.Request, e.Request != event.Request{})
	add("try", e.Try, e.Try != 0)
	add("peer", e.Peer, e.Peer != "")
	add("upstream", e.Upstream, e.Upstream != "")
	add("outcome", e.Outcome, e.Outcome != 0)
	add("status", e.Status, e.Status != 0)
	add("cached", e.Cached, e.Cached)
	add("worker", e.Worker, e.Worker != 0)
	add("detail", fmt.Sprintf("%q", e.Detail), e.Detail != "")
	return s
}
