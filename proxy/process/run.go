package process

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/reference"
	"github.com/nolive/nolive/proxy/variable"
)

// Name is what messages begin with, where nginx's begin with "nginx".
const Name = "nolive"

// Run does what the options say and returns the exit status: 0, or 1 as nginx
// does when it could not. Without Test and Signal it serves until a signal ends
// it. out is standard output, errs standard error.
func Run(o Options, out, errs io.Writer, signals <-chan os.Signal) int {
	p := &process{options: o, out: out, errs: errs, signals: signals}
	if o.ErrorLog == "stderr" {
		p.options.ErrorLog = ""
	}
	at, err := o.place()
	if err != nil {
		return p.fail(err)
	}
	p.place = at
	switch {
	case o.Test || o.Dump:
		return p.test()
	case o.Signal != "":
		return p.command()
	}
	return p.serve()
}

// process is the running process.
type process struct {
	options Options
	place
	out, errs io.Writer
	signals   <-chan os.Signal
	sockets   []*listening
	now       *generation
	before    []*generation // those that still have clients
	pid       string
	// connections numbers connections; it goes on over reloads.
	connections atomic.Uint64
}

// say writes a message that is no log line.
func (p *process) say(format string, args ...any) {
	fmt.Fprintf(p.errs, Name+": "+format+"\n", args...)
}

// fail says why nothing could be done.
func (p *process) fail(err error) int {
	level, lines := refused(err)
	for _, l := range lines {
		p.complain(level, l)
	}
	return 1
}

// complain writes a message, and into the log that -e names (ngx_log_error_core).
func (p *process) complain(level nginxconf.Level, text string) {
	p.say("[%v] %s", level, text)
	if path := p.fallback(); path != "" {
		if l, err := openLog(path); err == nil {
			l.write(errorLine(time.Now(), level, 0, text))
			l.close()
		}
	}
}

// test tests the configuration.
func (p *process) test() int {
	c, syntax, err := read(&p.options, p.place)
	if c != nil {
		for _, w := range c.Warnings {
			p.complain(nginxconf.Warn, noted(w))
		}
	}
	if syntax && !p.options.Quiet {
		p.say("the configuration file %s syntax is ok", p.file)
	}
	if err == nil {
		err = p.tryOut(c)
	}
	if err != nil {
		p.fail(err)
		p.say("configuration file %s test failed", p.file)
		return 1
	}
	for _, w := range c.ours() {
		p.say("[%v] %s", nginxconf.Warn, w)
	}
	if !p.options.Quiet {
		p.say("configuration file %s test is successful", p.file)
	}
	if p.options.Dump {
		for _, f := range c.Tree.Files {
			fmt.Fprintf(p.out, "# configuration file %s:\n%s\n", f.Name, f.Text)
		}
	}
	return 0
}

// tryOut opens what a configuration needs, and closes it again.
func (p *process) tryOut(c *configuration) error {
	l, err := openLogs(c, p.fallback(), p.out, p.errs)
	if err != nil {
		return err
	}
	defer l.close()
	sockets, err := open(c.listens, nil, true, nil)
	for _, s := range sockets {
		s.close()
	}
	return err
}

// fallback is the error log of a configuration that has none.
func (p *process) fallback() string {
	if p.options.ErrorLog == "" {
		return ""
	}
	return p.full(p.options.ErrorLog)
}

// command sends a signal to the running process.
func (p *process) command() int {
	if _, known := commands[p.options.Signal]; !known {
		p.say("invalid option: \"-s %s\"", p.options.Signal)
		return 1
	}
	c, syntax, err := read(&p.options, p.place)
	if !syntax {
		return p.fail(err)
	}
	if err := c.signal(p.options.Signal); err != nil {
		return p.fail(err)
	}
	return 0
}

// serve serves until a signal ends it.
func (p *process) serve() int {
	c, _, err := read(&p.options, p.place)
	if err != nil {
		return p.fail(err)
	}
	g, sockets, err := p.generation(c)
	if err != nil {
		return p.fail(err)
	}
	p.pid = c.pidPath()
	if err := writePID(p.pid); err != nil {
		g.end()
		for _, s := range sockets {
			s.close()
		}
		return p.fail(err)
	}
	p.now, p.sockets = g, sockets
	for _, w := range c.warnings() {
		p.warn(w)
	}
	g.proxy.Serve()
	g.logs.note(nginxconf.Notice, "start serving")
	return p.cycle()
}

// warn says something that the start should show, also where it is logged.
func (p *process) warn(text string) {
	p.now.logs.note(nginxconf.Warn, text)
	if !p.now.logs.toStderr() {
		p.say("[%v] %s", nginxconf.Warn, text)
	}
}

// generation is one configuration at work.
type generation struct {
	conf  *configuration
	logs  *logs
	proxy *reference.Proxy
}

// generation makes everything that a configuration needs; it serves nobody yet.
// The sockets that the process has are used again.
func (p *process) generation(c *configuration) (g *generation, sockets []*listening, err error) {
	l, err := openLogs(c, p.fallback(), p.out, p.errs)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	note := l.note
	if p.now == nil && !l.toStderr() {
		note = func(level nginxconf.Level, text string) { l.note(level, text); p.say("[%v] %s", level, text) }
	}
	if sockets, err = open(c.listens, p.sockets, false, note); err != nil {
		if p.now == nil && !l.toStderr() {
			level, lines := refused(err)
			for _, text := range lines {
				l.note(level, text)
			}
		}
		return nil, nil, err
	}
	host, _ := os.Hostname()
	proxy, err := reference.New(reference.Options{
		Config: c.Config, Backends: c.backends, Clock: wallClock(), Seed: seed(), Sockets: served(c.listens, sockets), Journal: l, Connections: &p.connections,
		Process: &variable.Process{PID: os.Getpid(), Hostname: host, Version: p.options.Version.String()},
	})
	if err != nil {
		for _, s := range sockets {
			if find(p.sockets, s.key) == nil {
				s.close()
			}
		}
		return nil, nil, err
	}
	return &generation{c, l, proxy}, sockets, nil
}

// end ends everything at once.
func (g *generation) end() {
	g.logs.over.Store(true)
	_ = g.proxy.Close()
	g.logs.close()
}

// wallClock is real time whose seconds change when the wall clock's do: that is
// when nginx looks at what was marked (ngx_time).
func wallClock() *clock.Clock {
	k := clock.New(1)
	k.Begin(time.Now().Truncate(time.Second))
	return k
}

// seed draws the key of all draws: like nginx's, they can't be foreseen.
func seed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}
