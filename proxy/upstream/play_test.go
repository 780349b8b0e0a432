package upstream_test

import (
	"fmt"
	"net/netip"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// behaviour is what a backend does, attempt by attempt.
type behaviour struct {
	acts []act
	n    int
}

// act is one thing that a backend does with a request.
type act struct {
	do    string        // one of acts
	after time.Duration // from the request to the answer, or to its failure
}

// acts are the words of `backends`: WORD or WORD@DURATION, or a status.
var acts = map[string]event.Outcome{
	"ok": event.Passed, "refuse": event.Refused, "reset": event.Reset, "fin": event.Closed,
	"bad": event.InvalidHeader,
	// hang and drip (a header that never gets whole) end in the read time-out,
	// drop (no answer to SYN) in the connect time-out, stuck in the send time-out.
	"hang": event.ReadTimeout, "drip": event.ReadTimeout, "drop": event.ConnectTimeout, "stuck": event.SendTimeout,
	// cut is a header, then a body that breaks off; garbage is no status line,
	// which nginx takes for HTTP/0.9 and logs as 009.
	"cut": event.Truncated, "garbage": event.Passed,
}

func (in *interpreter) setBackends(_, lines []string) (string, error) {
	for _, line := range lines {
		name, list, ok := strings.Cut(line, ":")
		if !ok {
			return "", fmt.Errorf("%q is not of the form PEER: WHAT ...", line)
		}
		b := &behaviour{}
		for _, w := range strings.Fields(list) {
			word, after, _ := strings.Cut(w, "@")
			a := act{do: word}
			if after != "" {
				d, err := time.ParseDuration(after)
				if err != nil {
					return "", err
				}
				a.after = d
			}
			if _, err := strconv.Atoi(word); err != nil && acts[word] == 0 {
				return "", fmt.Errorf("a backend can't %q", word)
			}
			b.acts = append(b.acts, a)
		}
		in.backends[name] = b
	}
	return "ok\n", nil
}

// next is what the peer does now; a peer that isn't mentioned is well.
func (in *interpreter) next(peer string) act {
	b := in.backends[peer]
	if b == nil {
		return act{do: "ok"}
	}
	a := b.acts[min(b.n, len(b.acts)-1)]
	b.n++
	return a
}

// conn is an upstream connection.
type conn struct {
	peer, served int
	opened       time.Duration
}

// chain is one line of `run`: requests one after the other.
type chain struct {
	left   int
	method string
	abort  time.Duration
	key    string
	from   []byte
	// location is a number, so that connections kept in local mode stay apart.
	location int
}

// play is one `run`: a queue of things to do, in order of time.
type play struct {
	in    *interpreter
	queue []due
	out   []*ask
}

type due struct {
	at time.Duration
	do func()
}

// ask is one request.
type ask struct {
	play   *play
	chain  *chain
	req    upstream.Request
	sent   time.Duration
	ended  time.Duration
	status string
	path   []string
	conn   *conn
	act    act
	over   bool
	step   int // what was due for an earlier step is stale
}

func (p *play) at(t time.Duration, do func()) {
	p.queue = append(p.queue, due{t, do})
	sort.SliceStable(p.queue, func(i, j int) bool { return p.queue[i].at < p.queue[j].at })
}

// run lines are "TIME METHOD [xN] [abort DURATION] [key=KEY] [from=ADDRESS] [location=N]" or "FROM..TO METHOD every DURATION".
// With the word quiet it prints nothing; see count.
func (in *interpreter) run(args, lines []string) (string, error) {
	p := &play{in: in}
	in.events = nil
	for _, line := range lines {
		if err := p.line(strings.Fields(line)); err != nil {
			return "", fmt.Errorf("%q: %v", line, err)
		}
	}
	for len(p.queue) > 0 {
		d := p.queue[0]
		p.queue = p.queue[1:]
		in.now = d.at
		d.do()
	}
	if slices.Contains(args, "quiet") {
		return "", nil
	}
	var b strings.Builder
	for _, a := range p.out {
		fmt.Fprintf(&b, "%v %s %s", a.sent, a.status, strings.Join(a.path, "+"))
		if d := a.ended - a.sent; d > 0 {
			fmt.Fprintf(&b, " after %v", d)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

func (p *play) line(w []string) error {
	if len(w) < 2 {
		return fmt.Errorf("no time and method")
	}
	from, to, isRange := strings.Cut(w[0], "..")
	at, err := time.ParseDuration(from)
	if err != nil {
		return err
	}
	c := chain{left: 1, method: w[1]}
	var every time.Duration
	for i := 2; i < len(w) && err == nil; i++ {
		name, value, _ := strings.Cut(w[i], "=")
		switch {
		case name == "key":
			c.key = value
		case name == "location":
			c.location, err = strconv.Atoi(value)
		case name == "from":
			c.from = netip.MustParseAddr(value).AsSlice()
		case w[i][0] == 'x':
			c.left, err = strconv.Atoi(w[i][1:])
		case w[i] == "abort" && i+1 < len(w):
			i++
			c.abort, err = time.ParseDuration(w[i])
		case w[i] == "every" && i+1 < len(w):
			i++
			every, err = time.ParseDuration(w[i])
		default:
			err = fmt.Errorf("unknown word %q", w[i])
		}
	}
	if err != nil || !isRange {
		p.at(at, func() { p.send(&c) })
		return err
	}
	end, err := time.ParseDuration(to)
	for ; err == nil && at <= end; at += every {
		one := c
		p.at(at, func() { p.send(&one) })
	}
	return err
}

// send lets the proxy take the chain's next request in.
func (p *play) send(c *chain) {
	if c.left == 0 {
		return
	}
	c.left--
	a := &ask{play: p, chain: c, sent: p.in.now}
	p.out = append(p.out, a)
	if c.abort > 0 {
		p.at(p.in.now+c.abort, a.abort)
	}
	a.follow(a.req.Begin(p.in.group, p.in.cache, upstream.Arrival{
		ID: event.Request{Traffic: "r", N: len(p.out)}, Method: c.method, Policy: p.in.policy, Key: c.key, ClientAddr: c.from, Location: c.location,
	}, p.in.now))
}
