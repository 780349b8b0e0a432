//go:build e2e

package process

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// side is what one proxy made of a configuration and of what it was asked.
type side struct {
	// answers are to the byte, but for dates and the proxy's name.
	answers []string
	// logs are the lines of each log that was asked for, without stamps.
	logs map[string][]string
}

// sides serves one nginx.conf on the real nginx and then here, asks both the same,
// each question on a connection of its own, and returns what they made of it. PORT
// and DIR in the text are replaced, and ALSO by another port.
func sides(t *testing.T, conf string, replace []string, asked []string, logs ...string) (nginx, ours side) {
	t.Helper()
	port, also := strconv.Itoa(freePort(t)), strconv.Itoa(freePort(t))
	run := func(start func(t *testing.T, conf, dir string) (stop func())) (s side) {
		dir := t.TempDir()
		text := strings.NewReplacer(append([]string{"PORT", port, "ALSO", also, "DIR", dir}, replace...)...).Replace(conf)
		// Where nginx's root isn't there, it writes no log whose path has variables.
		if err := os.Mkdir(dir+"/html", 0o755); err != nil {
			t.Fatal(err)
		}
		file := dir + "/nginx.conf"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		stop := start(t, file, dir)
		await(t, "somebody listens", func() bool {
			c, err := net.Dial("tcp", "127.0.0.1:"+port)
			if err == nil {
				_ = c.Close()
			}
			return err == nil
		})
		for _, q := range asked {
			to := "127.0.0.1:" + port
			if at, rest, ok := strings.Cut(q, "|"); ok {
				to, q = strings.NewReplacer("ALSO", also, "PORT", port, "DIR", dir).Replace(at), rest
			}
			s.answers = append(s.answers, strings.ReplaceAll(askAt(t, to, q), dir, "DIR"))
		}
		await(t, "its clients have left", func() bool { return !holdsClients(t, port) })
		stop()
		s.logs = map[string][]string{}
		for _, name := range logs {
			b, err := os.ReadFile(dir + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(b)) {
				if line = bare(strings.ReplaceAll(line, dir, "DIR")); line != "" {
					s.logs[name] = append(s.logs[name], line)
				}
			}
		}
		return s
	}
	return run(startNginx), run(startOurs)
}

// holdsClients says that a server on the port has a connection that it hasn't closed: who
// is stopped then writes no line for the request on it, or does, as it happens.
func holdsClients(t *testing.T, port string) bool {
	t.Helper()
	b, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	local := fmt.Sprintf(":%04X", n)
	for line := range strings.Lines(string(b)) {
		if fields := strings.Fields(line); len(fields) > 3 && strings.HasSuffix(fields[1], local) && (fields[3] == established || fields[3] == closeWait) {
			return true
		}
	}
	return false
}

// States of a connection in /proc/net/tcp (include/net/tcp_states.h).
const (
	established = "01"
	closeWait   = "08"
)

// askAt asks at an address, host:port or the path of a unix socket.
func askAt(t *testing.T, to, q string) string {
	if strings.HasPrefix(to, "/") {
		return questionOver(t, "unix", to, q)
	}
	return questionOver(t, "tcp", to, q)
}

// sameSides holds both sides against each other.
func sameSides(t *testing.T, asked []string, nginx, ours side) {
	t.Helper()
	for i, n := range nginx.answers {
		if o := ours.answers[i]; n != o {
			t.Errorf("%.200q\n--- nginx\n%s\n--- ours\n%s", asked[i], n, o)
		}
	}
	for name, lines := range nginx.logs {
		if len(lines) == 0 {
			t.Errorf("%s: nginx has no lines", name)
		}
		for i := range max(len(lines), len(ours.logs[name])) {
			var n, o string
			if i < len(lines) {
				n = lines[i]
			}
			if i < len(ours.logs[name]) {
				o = ours.logs[name][i]
			}
			if n != o {
				t.Errorf("%s line %d\nnginx %s\nours  %s", name, i+1, n, o)
			}
		}
	}
}

// get is a request for a target at a host.
func get(host, target string) string {
	return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"
}

var caseLine = regexp.MustCompile(`(?i)\r\nX-Case: (\d+)\r\n`)

// answeringCases is a peer that gives the answer whose number the request's X-Case
// names; BACK in an answer is its own address, and behind HANG it waits.
func answeringCases(t *testing.T) (address string, set func(answers []string)) {
	var answers atomic.Pointer[[]string]
	address = playing(t, func(c net.Conn, r *bufio.Reader) {
		var head strings.Builder
		for !strings.HasSuffix(head.String(), "\r\n\r\n") {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			head.WriteString(line)
		}
		n := 0
		if m := caseLine.FindStringSubmatch(head.String()); m != nil {
			n, _ = strconv.Atoi(m[1])
		}
		text, hangs := strings.CutSuffix((*answers.Load())[n], "HANG")
		_, _ = io.WriteString(c, strings.ReplaceAll(text, "BACK", c.LocalAddr().String()))
		if hangs {
			_, _ = r.ReadByte()
		}
	})
	return address, func(all []string) { answers.Store(&all) }
}

// asCases are the questions for every answer at every target.
func asCases(answers []string, targets []string) (asked []string) {
	for _, target := range targets {
		for i := range answers {
			asked = append(asked, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: www.example.com\r\nX-Case: %d\r\nConnection: close\r\n\r\n", target, i))
		}
	}
	return slices.Clip(asked)
}
