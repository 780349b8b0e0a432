package sim

import (
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/wire"
)

// reading is what nginx makes of a response's bytes, whenever they come. All
// counts are bytes on the wire, from the first.
type reading struct {
	script *fault.Script
	key    readingKey
	// decided is how many bytes it takes until nginx has made up its mind about the
	// header, verdict what it thinks; with wire.More it never does, unless the
	// header is too big.
	decided int64
	verdict wire.Verdict
	tooBig  bool
	head    wire.Head
	// end is where the response is complete, -1 when only the connection's end
	// says so.
	end int64
	// headEnd is where the header is complete.
	headEnd int64
	// broken is true when the framing is. Which byte lets nginx notice depends on how
	// they come: see notices.
	broken bool
	// unbuffered is true when it is passed on as it comes.
	unbuffered bool
	// starved is true when nginx ends the response right behind its header.
	starved bool
}

// readingKey is all that a reading depends on.
type readingKey struct {
	script               *fault.Script
	first, buffers, busy int
	version              upstream.Version
	head                 bool // asked for with HEAD
	unbuffered           bool
	deaf                 bool // to X-Accel-Buffering
}

// maxReadings bounds what is remembered: scripts may be made for one request.
const maxReadings = 1024

// readingOf returns the reading of a script, found once.
func (s *Sim) readingOf(script *fault.Script, pass *nginxconf.Pass, method string) *reading {
	k := readingKey{script, pass.BufferSize, pass.Buffers, pass.BusyBuffers, pass.Upstream.Version, method == "HEAD", pass.Unbuffered, pass.Ignores("x-accel-buffering")}
	if s.lastReading != nil && s.lastKey == k {
		return s.lastReading
	}
	r := s.readings[k]
	if r == nil {
		r = s.learn(k)
	}
	s.lastKey, s.lastReading = k, r
	return r
}

// learn finds a reading and remembers it.
func (s *Sim) learn(k readingKey) *reading {
	r := newReading(k.script, k)
	if s.readings == nil || len(s.readings) >= maxReadings {
		s.readings = map[readingKey]*reading{}
	}
	s.readings[k] = r
	return r
}

func newReading(script *fault.Script, k readingKey) *reading {
	r := &reading{script: script, key: k, end: -1}
	from := int64(0) // where the buffer begins: behind early hints
	for {
		b := script.Response.Append(nil, from, int64(k.first))
		r.head.Reset(k.version)
		r.verdict = r.head.Scan(b)
		if r.verdict == wire.Hints {
			from += int64(r.head.At)
			continue
		}
		if r.verdict == wire.More {
			r.tooBig = len(b) == k.first
			r.decided = from + int64(len(b))
			return r
		}
		r.decided = from + int64(decided(b, k.version))
		break
	}
	if r.verdict == wire.Whole {
		r.headEnd = from + int64(r.head.At)
		if r.unbuffered = k.unbuffered; !k.deaf {
			r.unbuffered = r.head.Buffering.Unbuffered(k.unbuffered)
		}
		r.body(r.headEnd)
	}
	return r
}

// decided is how many bytes of b decide. A scan of more of them never says
// something else, so it can be searched for.
func decided(b []byte, v upstream.Version) int {
	lo, hi := 0, len(b)
	var h wire.Head
	for lo < hi {
		mid := (lo + hi) / 2
		h.Reset(v)
		if h.Scan(b[:mid]) == wire.More {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// bare is true when the response has no body at all.
func (r *reading) bare() bool { return r.end >= 0 && r.end == r.headEnd }

// endless is true when the connection's end is the response's.
func (r *reading) endless() bool { return r.end < 0 && !r.head.Chunked }

// unsized is true when the header doesn't say how long the body is.
func (r *reading) unsized() bool { return r.head.Chunked || r.head.Length < 0 }

// begin is the body behind the header, none of which was read.
func (r *reading) begin() (b wire.Body) {
	k := &r.key
	if r.unbuffered { // nothing waits, the header neither
		b.Begin(&r.head, k.head, r.head.At, 1, 1)
	} else {
		b.Begin(&r.head, k.head, r.head.At, k.first, k.buffers)
	}
	return b
}

// body finds the end of the body that begins at from, and what is wrong with it.
func (r *reading) body(from int64) {
	response, b := &r.script.Response, r.begin()
	r.starved = b.Starved()
	switch {
	case b.Left() >= 0:
		r.end = from + b.Left()
	case !b.Chunked():
	case response.Body.Chunks != nil && response.HeadEnd() == from:
		r.end = response.Size() // framed by the fault itself, so it is sound
	default:
		r.decode(from)
	}
}

// decode follows chunks that may be broken: all of them at once.
func (r *reading) decode(from int64) {
	response, b := &r.script.Response, r.begin()
	all := response.Append(nil, from, response.Size()-from)
	_, used, err := b.Decode(all)
	switch {
	case err != nil:
		r.broken = true
	case b.Complete:
		r.end = from + int64(used)
	}
}

// notices is the first of the sights at which nginx notices that the framing is
// broken, -1 for none: it looks at what has come when that is all it knows to come,
// or fills a buffer, and then at all of it. begun is true when something of the body
// was passed on before.
func (r *reading) notices(sights []fault.Sight) (at int, begun bool) {
	p := r.passage()
	for i, v := range sights {
		passed, err := p.take(v)
		begun = begun || passed > 0
		if err != nil {
			return i, begun || r.unbuffered
		}
	}
	return -1, begun
}
