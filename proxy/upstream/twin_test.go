package upstream_test

import (
	"time"

	"github.com/nolive/nolive/proxy/upstream"
)

// The twin is a slow, literal transcription of nginx's peer choice and of its
// decision to go on to the next upstream, step by step as one reads them in
// ngx_http_upstream_round_robin.c and ngx_http_upstream.c. It shares no code
// with the package: words instead of flags, the wall clock as a time.Time, a
// map for the peers tried. It exists to disagree.

type twinPeer struct {
	name              string
	index             int
	weight, ew, cw    int
	fails             int
	accessed, checked int64
	maxFails          int
	failTimeout       int64
	maxConns, conns   int
	down              bool
}

type twin struct {
	primary, backup []*twinPeer
	method          upstream.Method
	idle            []twinIdle // newest first
	capacity        int
	idleFor         time.Duration
	perConnection   int
}

type twinIdle struct {
	id     uint64
	name   string
	stored time.Time
}

// twinRequest is one run of handle() in the pseudo-code, cut at its attempts.
type twinRequest struct {
	t        *twin
	tries    int
	onBackup bool
	tried    map[*twinPeer]bool
	start    time.Time
	method   string
	words    map[string]bool // proxy_next_upstream
	limit    time.Duration   // proxy_next_upstream_timeout
	streamed bool            // request body sent unbuffered
	gone     bool
	peer     *twinPeer
	know     twinKnows
	cached   uint64
}

// twinSays is one decision: try a peer, pass the response, or answer.
type twinSays struct {
	Do     string
	Peer   int
	Conn   uint64
	Status int
	Marked bool
}

func (t *twin) single() bool { return len(t.primary) == 1 && len(t.backup) == 0 }

func (t *twin) begin(r *twinRequest, nuTries int, now time.Time) twinSays {
	r.t, r.start, r.tried = t, now, map[*twinPeer]bool{}
	r.tries = 0
	for _, p := range t.primary {
		if !p.down {
			r.tries++
		}
	}
	for _, p := range t.backup {
		if !p.down {
			r.tries++
		}
	}
	if nuTries != 0 && r.tries > nuTries {
		r.tries = nuTries
	}
	return r.connect(now)
}

// connect is ngx_http_upstream_connect.
func (r *twinRequest) connect(now time.Time) twinSays {
	r.cached = 0
	r.peer = r.get(now.Unix())
	if r.peer == nil {
		return twinSays{Do: "answer", Status: 502}
	}
	for i, c := range r.t.idle {
		if c.name == r.peer.name && now.Before(c.stored.Add(r.t.idleFor)) {
			r.cached = c.id
			r.t.idle = append(append([]twinIdle{}, r.t.idle[:i]...), r.t.idle[i+1:]...)
			break
		}
	}
	return twinSays{Do: "try", Peer: r.peer.index, Conn: r.cached}
}

func (r *twinRequest) get(now int64) *twinPeer {
	var p *twinPeer
	if r.t.single() {
		p = r.t.primary[0]
		if p.down || (p.maxConns != 0 && p.conns >= p.maxConns) {
			p = nil
		}
	} else if r.onBackup {
		p = r.choose(r.t.backup, now)
	} else {
		p = r.choose(r.t.primary, now)
	}
	if p == nil && !r.onBackup && len(r.t.backup) > 0 {
		r.onBackup = true
		r.tried = map[*twinPeer]bool{}
		return r.get(now)
	}
	if p != nil {
		p.conns++
	}
	return p
}

func (r *twinRequest) pick(peers []*twinPeer, now int64) *twinPeer {
	var best *twinPeer
	total := 0
	for _, p := range peers {
		if r.tried[p] {
			continue
		}
		if p.down {
			continue
		}
		if p.maxFails != 0 && p.fails >= p.maxFails && now-p.checked <= p.failTimeout {
			continue
		}
		if p.maxConns != 0 && p.conns >= p.maxConns {
			continue
		}
		p.cw += p.ew
		total += p.ew
		if p.ew < p.weight {
			p.ew++
		}
		if best == nil || p.cw > best.cw {
			best = p
		}
	}
	if best != nil {
		best.cw -= total
		r.tried[best] = true
		if now-best.checked > best.failTimeout {
			best.checked = now
		}
	}
	return best
}

// free is the release; state is FAILED, NEXT or OK.
func (r *twinRequest) free(state string, now time.Time) (marked bool) {
	p := r.peer
	if r.t.single() {
		p.fails = 0
		p.conns--
		r.tries = 0
		return false
	}
	if state == "FAILED" {
		p.fails++
		p.accessed = now.Unix()
		p.checked = now.Unix()
		if p.maxFails != 0 {
			p.ew -= p.weight / p.maxFails
			if p.fails >= p.maxFails {
				marked = true
			}
		}
		if p.ew < 0 {
			p.ew = 0
		}
	} else {
		if p.accessed < p.checked {
			p.fails = 0
		}
	}
	p.conns--
	if r.tries != 0 {
		r.tries--
	}
	return marked
}

// may says whether every word of need is in proxy_next_upstream.
func (r *twinRequest) may(ft string, sent bool, now time.Time) bool {
	need := []string{ft}
	if sent && (r.method == "POST" || r.method == "LOCK" || r.method == "PATCH") {
		need = append(need, "non_idempotent")
	}
	for _, n := range need {
		if r.words["off"] || !r.words[n] {
			return false
		}
	}
	if sent && r.streamed {
		return false
	}
	return r.limit == 0 || now.Sub(r.start) < r.limit
}

// fail is an attempt that failed with ft (error, timeout, invalid_header).
func (r *twinRequest) fail(ft string, sent bool, now time.Time) twinSays {
	return r.nextUpstream(ft, sent, now)
}

// header is process_header with test_next.
func (r *twinRequest) header(status int, now time.Time) twinSays {
	word := map[int]string{
		500: "http_500", 502: "http_502", 503: "http_503", 504: "http_504",
		403: "http_403", 404: "http_404", 429: "http_429",
	}[status]
	if word != "" && r.tries > 1 && r.may(word, true, now) {
		return r.nextUpstream(word, true, now)
	}
	return twinSays{Do: "pass", Status: status}
}

func (r *twinRequest) nextUpstream(ft string, sent bool, now time.Time) twinSays {
	state := "FAILED"
	if ft == "http_403" || ft == "http_404" {
		state = "NEXT"
	}
	marked := r.free(state, now)
	if r.cached != 0 && ft == "error" {
		r.tries++
	}
	if r.gone {
		return twinSays{Do: "answer", Status: 499, Marked: marked}
	}
	status := 502
	if ft == "timeout" {
		status = 504
	}
	if r.tries == 0 || !r.may(ft, sent, now) {
		return twinSays{Do: "answer", Status: status, Marked: marked}
	}
	s := r.connect(now)
	s.Marked = marked
	return s
}
