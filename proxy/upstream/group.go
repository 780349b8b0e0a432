package upstream

import (
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Group is the live state of one upstream block: of one worker, or of all
// workers when the block has a zone. It is not safe for concurrent use.
type Group struct {
	cfg     Config
	primary set
	backup  set
	// single is nginx's peers->single: one primary address in all and no backup
	// peer. Weights, max_fails and down play no part, so `server a; server b
	// down;` isn't single and one server marked down is
	// (ngx_http_upstream_init_round_robin).
	single bool
	// live is how many tries a request has: nginx counts them from the
	// configuration, not from what is eligible now.
	live int
	// addresses numbers the peers' addresses: peers written alike have the same
	// number. Their counters are separate all the same.
	addresses []int
	// ring is there for ConsistentHash, steering while a recorded run is replayed.
	ring     ring
	steering *steering
	sink     event.Sink
	// logger is sink when that adds the error log's lines; see Logger.settle.
	logger *Logger
}

// set is the primary or the backup half of a group.
type set struct {
	peers []peer
	// ends are the running sums of the weights.
	ends []uint64
}

// peer is nginx's ngx_http_upstream_rr_peer_t.
type peer struct {
	Server
	index       int   // position in Config.Servers
	server      int   // the same for peers that a ring takes for one server
	failTimeout int64 // seconds
	current     int   // current_weight: smooth round robin's accumulator
	effective   int   // effective_weight: lowered by failures, climbs back a step a pass
	fails       int   // counted failures; no time lowers it
	accessed    int64 // second of the last counted failure
	checked     int64 // second of the last counted failure or opening pick
	conns       int   // attempts in flight
}

// NewGroup returns a group in which every peer is fresh. Events go to sink.
func NewGroup(cfg Config, sink event.Sink) *Group {
	g := &Group{cfg: cfg, sink: sink, addresses: make([]int, len(cfg.Servers))}
	g.logger, _ = sink.(*Logger)
	numbers := map[string]int{}
	servers := map[string]int{}
	for i, s := range cfg.Servers {
		if _, known := numbers[s.Name]; !known {
			numbers[s.Name] = i
		}
		g.addresses[i] = numbers[s.Name]
		if _, known := servers[s.ringName()]; !known {
			servers[s.ringName()] = i
		}
		p := peer{Server: s, index: i, server: servers[s.ringName()], effective: s.Weight, failTimeout: int64(s.FailTimeout / time.Second)}
		if s.Backup {
			g.backup.add(p)
		} else {
			g.primary.add(p)
		}
		if !s.Down || cfg.Version.CountsDown() {
			g.live++
		}
	}
	g.single = len(g.primary.peers) == 1 && len(g.backup.peers) == 0
	if cfg.Method == ConsistentHash {
		g.ring = newRing(g.primary.peers)
	}
	return g
}

func (s *set) add(p peer) {
	end := uint64(p.Weight)
	if n := len(s.ends); n > 0 {
		end += s.ends[n-1]
	}
	s.peers, s.ends = append(s.peers, p), append(s.ends, end)
}

// Config returns what the group was made from.
func (g *Group) Config() Config { return g.cfg }

// PeerState is a copy of one peer's counters, for explanations and tests.
type PeerState struct {
	Name      string
	Current   int
	Effective int
	Fails     int
	// Accessed and Checked are whole seconds since the run's origin, or -1 when
	// never written.
	Accessed int64
	Checked  int64
	Conns    int
	// Out is true when a pick at the instant asked for would pass the peer over
	// because of its failures.
	Out bool
}

// State returns a copy of every peer's counters in configuration order, judged at now.
func (g *Group) State(now time.Duration) []PeerState {
	out := make([]PeerState, len(g.cfg.Servers))
	for _, s := range []*set{&g.primary, &g.backup} {
		for i := range s.peers {
			p := &s.peers[i]
			out[p.index] = PeerState{
				Name: p.Name, Current: p.current, Effective: p.effective, Fails: p.fails,
				Accessed: sinceOrigin(p.accessed), Checked: sinceOrigin(p.checked),
				Conns: p.conns, Out: !g.single && p.out(second(now)),
			}
		}
	}
	return out
}

func sinceOrigin(s int64) int64 {
	if s == 0 {
		return -1
	}
	return s - epoch
}

// out says whether failures keep the peer out of rotation: it stays out while
// now - checked <= fail_timeout, in whole seconds, so really for
// (fail_timeout, fail_timeout+1] (ngx_http_upstream_get_peer).
func (p *peer) out(now int64) bool {
	return p.MaxFails != 0 && p.fails >= p.MaxFails && now-p.checked <= p.failTimeout
}

// full says whether max_conns keeps the peer out.
func (p *peer) full() bool { return p.MaxConns != 0 && p.conns >= p.MaxConns }
