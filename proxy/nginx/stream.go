package nginx

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// streamFile is our log of stream.
const streamFile = "nolive-stream.log"

// streamFormat is one JSON object a session. It has no request: who the client is
// tells its address and port, which whoever sent the load knows.
func streamFormat(d dialect) string {
	return `log_format nolive ` + d.escape() + `'{` +
		`"msec":"$msec","pid":"$pid","connection":"$connection",` +
		`"client":"$remote_addr:$remote_port","server":"$server_addr:$server_port",` +
		`"status":"$status","took":"$session_time","addr":"$upstream_addr",` +
		`"connect":"$upstream_connect_time","session":"$upstream_session_time"}';`
}

// streamModule is the file of the module where it is a dynamic one.
const streamModule = "ngx_stream_module.so"

// stream is how a binary was built with stream.
type stream uint8

const (
	noStream stream = iota
	builtIn
	dynamic
)

// StreamError says that an nginx can't do what a stream block asks for.
type StreamError struct {
	// Binary is the program, Reason what it lacks.
	Binary, Reason string
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("the configuration has a stream block, but nginx %s %s (Debian: libnginx-mod-stream)", e.Binary, e.Reason)
}

// addStream adds what a configuration with a stream block needs: our log, and the
// module unless it is built in or loaded already. exists says whether there is a
// file where nginx runs.
func (b binary) addStream(r *nginxconf.RenderOptions, o Options, program string, exists func(string) bool) error {
	r.Modules = b.modules
	if len(o.Config.Streams) == 0 {
		return nil
	}
	file := b.modules + "/" + streamModule
	switch {
	case b.stream == noStream:
		return &StreamError{program, "was built without it"}
	case !b.atLeast(1, 11, 4):
		return &StreamError{program, b.version + " writes no log of it, which came with 1.11.4"}
	case b.stream == dynamic && !o.Config.Tree.Loads(streamModule):
		if !exists(file) {
			return &StreamError{program, "needs the module " + file + ", which isn't there"}
		}
		r.Main.Text = "load_module " + file + "; " + r.Main.Text
	}
	r.Stream.Text = streamFormat(b.dialect())
	r.StreamLog = "access_log " + streamFile + " nolive;"
	return nil
}

// onDisk says whether a file is here.
func onDisk(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// ends are the two ends of clients' connections as the load knows them.
type ends struct {
	// dialed is where the load connects to by where nginx listens, upstreams the
	// name of the block behind it.
	dialed, upstreams map[string]string
}

// parseStreamLine reads one line of the format streamFormat.
func parseStreamLine(line []byte, at ends) (accessLine, error) {
	var raw struct {
		Msec, PID, Connection, Client, Server, Status, Took string
		Addr, Connect, Session                              string
	}
	a := accessLine{stream: true}
	if err := json.Unmarshal(line, &raw); err != nil {
		return a, fmt.Errorf("stream log: %w", err)
	}
	var err error
	if a.end, err = parseMsec(raw.Msec); err != nil {
		return a, fmt.Errorf("stream log: %w", err)
	}
	a.took = max(millis(raw.Took), 0)
	a.pid, _ = strconv.Atoi(raw.PID)
	a.connection, _ = strconv.ParseInt(raw.Connection, 10, 64)
	a.status, _ = strconv.Atoi(raw.Status)
	server := raw.Server
	if d, ok := at.dialed[server]; ok {
		server = d
	}
	a.request = event.Request{Traffic: event.SessionOf(raw.Client, server), N: -int(a.connection)}
	a.host = at.upstreams[raw.Server]
	a.attempts = records(raw.Addr, "", raw.Connect, "", raw.Session, "")
	return a, nil
}

// ends are those of this process's stream servers.
func (p *Process) ends() ends {
	e := ends{map[string]string{}, map[string]string{}}
	for _, s := range p.opts.Config.Streams {
		for _, l := range s.Listens {
			for written, there := range p.there {
				if sameListen(written, l.Address) {
					e.dialed[there], e.upstreams[there] = p.listens[written], s.Pass.Upstream.Name
				}
			}
		}
	}
	return e
}

// judgeSession says how an attempt of stream ended. Once connected it only ends.
func (x *exchange) judgeSession(s *step) {
	switch {
	case s.noLive:
	case s.connect >= 0 && s.last && x.unfinished:
		// Still there when we stopped nginx.
	case s.connect >= 0:
		s.outcome = event.Relayed
		if s.cause != nil {
			_, s.how = s.cause.cause()
		}
	case s.cause != nil:
		s.outcome, _ = s.cause.cause()
	default:
		s.outcome = event.Refused
	}
}

// takeSession finds the lines of one attempt of stream, where the cause always
// comes before the mark.
func (c *connectionLines) takeSession(s *step, from, until int64) {
	same := func(l *errorLine) bool { return l.addr == s.addr || l.addr == "" }
	i, ok := c.first(from, until, func(l *errorLine) bool {
		if s.noLive {
			return l.noLive() && same(l)
		}
		o, _ := l.cause()
		return o != 0 && (o == event.Relayed) == (s.connect >= 0) && same(l)
	})
	if !ok {
		return
	}
	s.cause = c.lines[i]
	if j := i + 1; !s.noLive && j < len(c.lines) && c.may(j, from, until) && c.lines[j].marks() && same(c.lines[j]) {
		c.taken[j] = true
		s.mark = c.lines[j]
	}
}

// parseModules reads of nginx -V how it was built with stream, and where its
// modules are.
func (b *binary) parseModules(out string) {
	for _, f := range strings.Fields(out) {
		f = strings.Trim(f, `'"`)
		switch {
		case f == "--with-stream":
			b.stream = builtIn
		case f == "--with-stream=dynamic":
			b.stream = dynamic
		case strings.HasPrefix(f, "--modules-path="):
			b.modules = strings.TrimPrefix(f, "--modules-path=")
		case strings.HasPrefix(f, "--prefix=") && b.modules == "":
			b.modules = strings.TrimPrefix(f, "--prefix=") + "/modules"
		}
	}
}
