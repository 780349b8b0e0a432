package upstream

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// reading is the model after some of the steps, taken in one possible order and
// on one possible side of each second's edge.
type reading struct {
	group   Group
	flights []flying // requests with an attempt running, in no order
	// first is the first step not yet taken, ahead the later ones that are.
	first int
	ahead []int
	// seconds is each worker's clock after its last step: it never goes back.
	seconds []int64
	// cost is how far the reading is from the stamps as they stand.
	cost int
	key  string
}

// flying is a request between two of its steps.
type flying struct {
	number int
	began  time.Duration // as stamped
	r      Request
}

// copyFrom makes rd an independent copy of src in rd's own memory.
func (rd *reading) copyFrom(src *reading) {
	primary, backup := rd.group.primary.peers, rd.group.backup.peers
	rd.group = src.group
	rd.group.primary.peers = append(primary[:0], src.group.primary.peers...)
	rd.group.backup.peers = append(backup[:0], src.group.backup.peers...)
	rd.flights = append(rd.flights[:0], src.flights...)
	for i := range rd.flights {
		r := &rd.flights[i].r
		r.group = &rd.group
		r.tried.high = append([]uint64(nil), r.tried.high...)
		if r.peer != nil {
			r.peer = rd.group.at(r.peer.index)
		}
	}
	rd.first, rd.cost, rd.key = src.first, src.cost, ""
	rd.ahead = append(rd.ahead[:0], src.ahead...)
	rd.seconds = append(rd.seconds[:0], src.seconds...)
}

// at is the peer with the given index in Config.Servers.
func (g *Group) at(index int) *peer {
	for _, s := range []*set{&g.primary, &g.backup} {
		// Halves keep the configuration's order, so a peer is at most at its index.
		for i := min(index, len(s.peers)-1); i >= 0; i-- {
			if s.peers[i].index == index {
				return &s.peers[i]
			}
		}
	}
	return nil
}

// flight returns the running request, nil when it isn't.
func (rd *reading) flight(number int) *flying {
	for i := range rd.flights {
		if rd.flights[i].number == number {
			return &rd.flights[i]
		}
	}
	return nil
}

// land forgets a request that is over.
func (rd *reading) land(number int) {
	for i := range rd.flights {
		if last := len(rd.flights) - 1; rd.flights[i].number == number {
			rd.flights[i] = rd.flights[last]
			rd.flights = rd.flights[:last]
			return
		}
	}
}

// taken says whether step i was taken.
func (rd *reading) taken(i int) bool {
	if i < rd.first {
		return true
	}
	for _, a := range rd.ahead {
		if a == i {
			return true
		}
	}
	return false
}

// overtaken is how many steps would be overtaken if step i were taken now.
func (rd *reading) overtaken(i int) int {
	n := i - rd.first
	for _, a := range rd.ahead {
		if a < i {
			n--
		}
	}
	return n
}

// take notes step i as taken.
func (rd *reading) take(i int) {
	if i != rd.first {
		rd.ahead = append(rd.ahead, i)
		for j := len(rd.ahead) - 1; j > 0 && rd.ahead[j] < rd.ahead[j-1]; j-- {
			rd.ahead[j], rd.ahead[j-1] = rd.ahead[j-1], rd.ahead[j]
		}
		return
	}
	rd.first++
	for len(rd.ahead) > 0 && rd.ahead[0] == rd.first {
		rd.first++
		rd.ahead = append(rd.ahead[:0], rd.ahead[1:]...)
	}
}

// identify sets key to what later decisions can depend on, so that readings
// which have become the same are followed once. Stamps of a peer without
// failures aren't part of it: the next failure overwrites them before anything
// looks at them. Nor is a clock that the next step, at earliest, moves anyway.
func (rd *reading) identify(earliest int64, namesOnce bool) {
	b := make([]byte, 0, 64)
	b = binary.AppendVarint(b, int64(rd.first))
	for _, a := range rd.ahead {
		b = binary.AppendVarint(b, int64(a))
	}
	b = append(b, 0xff)
	for _, s := range rd.seconds {
		b = binary.AppendVarint(b, max(s, earliest))
	}
	b = rd.group.identify(b)
	if remembers := rd.group.cfg.Method.remembers(); remembers || !namesOnce {
		// A recorded name doesn't say which peer it was, so readings differ in it;
		// or in what a request met on its way to its peer.
		// Later decisions don't depend on the order of flights, so they may be sorted.
		slices.SortFunc(rd.flights, func(a, b flying) int { return a.number - b.number })
		for i := range rd.flights {
			f := &rd.flights[i]
			b = binary.AppendVarint(b, int64(f.number))
			b = binary.AppendVarint(b, int64(f.r.peer.index))
			b = binary.AppendUvarint(b, f.r.tried.low)
			if remembers {
				b = binary.AppendUvarint(b, uint64(f.r.hash))
				b = binary.AppendUvarint(b, uint64(f.r.misses))
			}
		}
	}
	rd.key = string(b)
}

func (g *Group) identify(b []byte) []byte {
	for _, s := range []*set{&g.primary, &g.backup} {
		for i := range s.peers {
			p := &s.peers[i]
			b = binary.AppendVarint(b, int64(p.current))
			b = binary.AppendVarint(b, int64(p.effective))
			if p.MaxConns > 0 || g.cfg.Method.counts() {
				b = binary.AppendVarint(b, int64(p.conns))
			}
			if p.MaxFails == 0 || p.fails == 0 {
				b = append(b, 0)
				continue
			}
			b = binary.AppendVarint(b, int64(min(p.fails, p.MaxFails)))
			b = binary.AppendVarint(b, p.checked)
			if p.accessed < p.checked {
				b = append(b, 1)
			}
			b = append(b, 2)
		}
	}
	return b
}

// capture notes whether a mark was told. It is the sink of all readings of a search.
type capture struct{ marked bool }

// Emit is event.Sink.
func (c *capture) Emit(e event.Event) { c.marked = c.marked || e.Kind == event.PeerMarked }
