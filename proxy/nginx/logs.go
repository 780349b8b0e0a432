package nginx

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// maxLine bounds a line of a log; nginx's own limit for the error log is 2048
// bytes, the access log holds no more than a few header fields.
const maxLine = 1 << 20

// errorLog is the whole error log: lines by connection and the others.
type errorLog struct {
	connections map[int64]*connectionLines
	loose       []*errorLine
	alerts      []string
}

// readErrorLog reads the lines at warn and above. until is how many bytes
// belong to the run; after them nginx tells of our stopping it.
func readErrorLog(r io.Reader, until int64) (*errorLog, error) {
	log := &errorLog{connections: map[int64]*connectionLines{}}
	var read int64
	var last *errorLine
	err := eachLine(r, func(number int, b []byte) error {
		read += int64(len(b)) + 1
		if c, ok := overLine(string(b)); ok {
			log.of(c).over()
			last = nil
			return nil
		}
		e, ok := parseErrorLine(string(b))
		if !ok {
			// The rest of a message with a line break in it.
			if last != nil && read <= until {
				last.message += "\n" + string(b)
				last.head = headOf(last.message)
				last.whole += "\n" + string(b)
			}
			return nil
		}
		e.number = number
		last = nil
		if !e.logged() || (read > until && ours(e)) {
			return nil
		}
		last = &e
		if e.alert() {
			log.alerts = append(log.alerts, e.whole)
		}
		if e.connection == 0 {
			log.loose = append(log.loose, last)
			return nil
		}
		log.of(e.connection).add(last)
		return nil
	})
	return log, err
}

// of are the lines of a connection.
func (l *errorLog) of(connection int64) *connectionLines {
	c := l.connections[connection]
	if c == nil {
		c = &connectionLines{}
		l.connections[connection] = c
	}
	return c
}

// ours says whether a line tells only of our stopping nginx.
func ours(e errorLine) bool {
	return strings.Contains(e.message, "open socket #") || strings.HasPrefix(e.message, "aborting")
}

// rest are the lines that no request took.
func (l *errorLog) rest() []*errorLine {
	out := l.loose
	for _, c := range l.connections {
		out = append(out, c.rest()...)
	}
	return out
}

// readRequests makes an exchange of every line of a log in which nginx writes down
// what is over, given the error log.
func readRequests(r io.Reader, parse func(line []byte) (accessLine, error), n names, log *errorLog, end int64) ([]*exchange, error) {
	var xs []*exchange
	var broken error
	err := eachLine(r, func(number int, b []byte) error {
		a, err := parse(b)
		if err != nil {
			broken = errors.Join(broken, err)
			return nil
		}
		xs = append(xs, newExchange(a, number, n, log.connections[a.connection], end))
		return nil
	})
	return xs, errors.Join(err, broken)
}

func eachLine(r io.Reader, f func(number int, line []byte) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), maxLine)
	for n := 1; s.Scan(); n++ {
		if err := f(n, s.Bytes()); err != nil {
			return err
		}
	}
	return s.Err()
}

// emit turns the logs into events.
func (p *Process) emit(end stopped) error {
	log, err := readFile(p.prefix.file(errorFile), func(r io.Reader) (*errorLog, error) { return readErrorLog(r, end.errors) })
	if err != nil {
		return err
	}
	n := newNames(p.opts.Config, p.opts.Backends)
	n.dialect, n.unannounced = p.bin.dialect(), p.opts.Unannounced
	requests := func(file string, parse func([]byte) (accessLine, error)) ([]*exchange, error) {
		return readFile(p.prefix.file(file), func(r io.Reader) ([]*exchange, error) { return readRequests(r, parse, n, log, end.msec) })
	}
	xs, err := requests(accessFile, n.dialect.parse)
	at := p.ends()
	sessions, serr := requests(streamFile, func(line []byte) (accessLine, error) { return parseStreamLine(line, at) })
	err, xs = errors.Join(err, serr), append(xs, sessions...)
	p.alerts = tell(p.opts.Sink, n, xs, log, n.keepalive, p.scenario())
	return err
}

// scenario turns milliseconds of nginx's clock into scenario time.
func (p *Process) scenario() func(int64) time.Duration {
	zero := p.origin.second * 1000
	var shift time.Duration
	if !p.origin.real.IsZero() {
		shift = p.opts.Clock.At(p.origin.real) // 0 when the run began where Align said
	}
	return func(ms int64) time.Duration { return time.Duration(ms-zero)*time.Millisecond + shift }
}

func readFile[T any](name string, read func(io.Reader) (T, error)) (T, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return read(strings.NewReader(""))
	}
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(f)
}

func size(name string) int64 {
	fi, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return fi.Size()
}

// lastWords is what nginx said before it ended.
func (p *Process) lastWords() string {
	b, _ := os.ReadFile(p.prefix.file(stderrFile))
	if len(b) == 0 {
		b, _ = os.ReadFile(p.prefix.file(errorFile))
		b = withoutOver(b)
	}
	return tail(string(b), 3)
}

// withoutOver is an error log without our own lines.
func withoutOver(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		if _, ours := overLine(string(line)); !ours {
			out = append(out, line...)
		}
	}
	return out
}

// tell emits everything and returns nginx's alerts.
func tell(sink event.Sink, n names, xs []*exchange, log *errorLog, keep keepaliveOf, clock func(int64) time.Duration) []string {
	inferCached(xs, keep)
	a := account{names: n, clock: clock}
	for _, x := range xs {
		a.exchange(x)
	}
	for _, l := range log.rest() {
		a.alone(l)
	}
	a.emit(sink)
	return log.alerts
}
