//go:build e2e

package process

import (
	"fmt"
	"math"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The same nginx.conf gives the same lines in the access log and in the error log
// on the real nginx and here.
func TestLogsAsNginx(t *testing.T) {
	late := watchLateness(t)
	replace := listenPeers(t)
	format := "$" + strings.Join(fields, "|$")
	port := strconv.Itoa(freePort(t))
	run := func(name string, start func(t *testing.T, conf, dir string) (stop func())) map[string][]string {
		dir := t.TempDir()
		text := strings.NewReplacer(append([]string{"PORT", port, "DIR", dir, "FORMAT", format}, replace...)...).Replace(compared)
		conf := dir + "/nginx.conf"
		if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		stop := start(t, conf, dir)
		address := "127.0.0.1:" + port
		await(t, name+" listens", func() bool {
			c, err := net.Dial("tcp", address)
			if err == nil {
				_ = c.Close()
			}
			return err == nil
		})
		for i, a := range asks {
			// Each has a path of its own: lines are sorted by it, because a line that
			// waits for a client that lingers may come after the next one.
			for _, path := range []string{"/text", "/hang", "/refused"} {
				a = strings.Replace(a, path+" HTTP/", fmt.Sprintf("%s/%d HTTP/", path, i), 1)
			}
			ask(t, address, a)
		}
		stop()
		out := map[string][]string{}
		for _, log := range []string{"access.log", "json.log", "bad.log", "raw.log", "error.log", "second.log", "second-error.log"} {
			b, err := os.ReadFile(dir + "/" + log)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(b)) {
				if line = bare(strings.ReplaceAll(line, dir, "DIR")); line != "" {
					out[log] = append(out[log], line)
				}
			}
		}
		return out
	}
	// A process that stands still while it serves a request writes that into its line, which
	// nobody outside it can tell from a difference; that comes again.
	var differ []string
	for range 3 {
		nginx, ours := run("nginx", startNginx), run("nolive", startOurs)
		tolerance := 0.02 + 3*late().Seconds()
		differ = logsDiffer(t, nginx, ours, tolerance)
		t.Logf("times may differ by %.3f s; %d access lines, %d error lines, %d differ", tolerance, len(nginx["access.log"]), len(nginx["error.log"]), len(differ))
		if len(differ) == 0 {
			return
		}
	}
	t.Errorf("%s", strings.Join(differ, "\n"))
}

// logsDiffer are the lines of all logs in which two runs differ.
func logsDiffer(t *testing.T, nginx, ours map[string][]string, tolerance float64) (differ []string) {
	for _, log := range []string{"access.log", "second.log"} {
		slices.Sort(nginx[log])
		slices.Sort(ours[log])
		differ = append(differ, linesDiffer(t, log, nginx[log], ours[log], func(n, o string) string { return accessDiffers(n, o, tolerance) })...)
	}
	for _, log := range []string{"error.log", "second-error.log", "json.log", "bad.log", "raw.log"} {
		if !strings.Contains(log, "error") {
			slices.Sort(nginx[log])
			slices.Sort(ours[log])
		}
		differ = append(differ, linesDiffer(t, log, nginx[log], ours[log], func(n, o string) string {
			if n == o {
				return ""
			}
			return "differs"
		})...)
	}
	return differ
}

func linesDiffer(t *testing.T, log string, nginx, ours []string, differs func(n, o string) string) (differ []string) {
	t.Helper()
	if len(nginx) == 0 {
		t.Errorf("%s: nginx has no lines", log)
	}
	for i := range max(len(nginx), len(ours)) {
		var n, o string
		if i < len(nginx) {
			n = nginx[i]
		}
		if i < len(ours) {
			o = ours[i]
		}
		if why := differs(n, o); why != "" {
			differ = append(differ, fmt.Sprintf("%s line %d: %s\nnginx %s\nours  %s", log, i+1, why, n, o))
		}
	}
	return differ
}

// accessDiffers says in which field two lines differ. nginx's pages have its name
// and version at their end, ours have ours; so do the heads.
func accessDiffers(nginx, ours string, tolerance float64) string {
	n, o := strings.Split(nginx, "|"), strings.Split(ours, "|")
	if len(n) != len(fields) || len(o) != len(fields) {
		return fmt.Sprintf("%d and %d fields", len(n), len(o))
	}
	var out []string
	for i, f := range fields {
		a, b := n[i], o[i]
		switch {
		case isTime(f):
			if !sameTimes(a, b, tolerance) {
				out = append(out, f+" "+a+" / "+b)
			}
		case a != b && (f == "body_bytes_sent" || f == "bytes_sent" || f == "sent_http_content_length"):
			x, _ := strconv.Atoi(a)
			y, _ := strconv.Atoi(b)
			const less = len("nginx/1.22.1") - len(Name)
			if x-y != less && x-y != 2*less {
				out = append(out, f+" "+a+" / "+b)
			}
		case a != b:
			out = append(out, f+" "+a+" / "+b)
		}
	}
	return strings.Join(out, ", ")
}

var number = regexp.MustCompile(`\d+\.\d{3}`)

// sameTimes compares lists of times: the same marks between them, and no two
// further apart than what the run's own timers were late.
func sameTimes(a, b string, tolerance float64) bool {
	if number.ReplaceAllString(a, "T") != number.ReplaceAllString(b, "T") {
		return false
	}
	x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for i := range x {
		p, _ := strconv.ParseFloat(x[i], 64)
		q, _ := strconv.ParseFloat(y[i], 64)
		if math.Abs(p-q) > tolerance {
			return false
		}
	}
	return true
}

var stamp = regexp.MustCompile(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (\[\w+\]) \d+#\d+: (\*\d+ )?`)

// bare is a line without its stamp and numbers; "" for one about the process.
func bare(line string) string {
	line = strings.TrimSuffix(line, "\n")
	if strings.Contains(line, " [notice] ") || strings.Contains(line, "epoll_wait() failed (4: ") {
		return "" // about the process, and about our signal
	}
	return stamp.ReplaceAllString(line, "$1 ")
}

func isTime(field string) bool { return strings.HasSuffix(field, "_time") }
