package upstream

import (
	"cmp"
	"slices"
	"strings"
)

// ring is the circle of points of `hash KEY consistent`.
type ring []point

// point belongs to a server, numbered as peer.server.
type point struct {
	hash   uint32
	server int
}

// pointsPerWeight is how many points a server has for each unit of its weight.
const pointsPerWeight = 160

// newRing is ngx_http_upstream_init_chash, compatible with
// Cache::Memcached::Fast: crc32(host NUL port previous-hash). It knows the
// primary peers alone, those that are down among them.
func newRing(peers []peer) ring {
	var out ring
	for i := range peers {
		p := &peers[i]
		host, port := splitPort(p.ringName())
		base := crc(crcByte(crc(0, host), 0), port)
		previous := uint32(0)
		for range p.Weight * pointsPerWeight {
			h := base
			for shift := 0; shift < 32; shift += 8 {
				h = crcByte(h, byte(previous>>shift))
			}
			out = append(out, point{h, p.server})
			previous = h
		}
	}
	// nginx sorts with qsort(), which doesn't say who stays when two servers
	// share a point; glibc's merge sort keeps the order of the configuration.
	slices.SortStableFunc(out, func(a, b point) int { return cmp.Compare(a.hash, b.hash) })
	return slices.CompactFunc(out, func(a, b point) bool { return a.hash == b.hash })
}

// ringName is the text that nginx hashes: the server as its configuration has it.
func (s *Server) ringName() string {
	if s.Address != "" {
		return s.Address
	}
	return s.Name
}

// splitPort cuts a port off, by nginx's rule: digits behind the last colon.
func splitPort(server string) (host, port string) {
	if len(server) >= 5 && strings.EqualFold(server[:5], "unix:") {
		return server[5:], ""
	}
	i := strings.LastIndexByte(server, ':')
	if i < 0 || strings.Trim(server[i+1:], "0123456789") != "" {
		return server, ""
	}
	return server[:i], server[i+1:]
}

// find is the first point at or behind a hash, len(r) behind the last one.
func (r ring) find(hash uint32) uint32 {
	i, _ := slices.BinarySearchFunc(r, hash, func(p point, h uint32) int { return cmp.Compare(p.hash, h) })
	return uint32(i)
}

// pickRing goes along the ring from the key's point to one whose server is
// eligible, and picks by round robin among the peers written alike
// (ngx_http_upstream_get_chash_peer). A retry begins at the same point again.
func (r *Request) pickRing(s *set, now int64) (*peer, int) {
	points, whole := r.group.ring, r.group.cfg.Version.SearchesWholeRing()
	if r.key == "" && !r.group.cfg.Version.HashesEmptyKey() {
		return nil, -1
	}
	for {
		server := points[int(r.hash)%len(points)].server
		var best *peer
		total, position := 0, -1
		for i := range s.peers {
			p := &s.peers[i]
			if p.server != server || !s.may(i, &r.tried, now) {
				continue
			}
			total += p.advance()
			if best == nil || p.current > best.current {
				best, position = p, i
			}
		}
		if best != nil {
			best.current -= total
			best.stamp(now)
			return best, position
		}
		r.hash++
		if r.miss() && (!whole || r.misses >= len(points)) {
			return nil, -1
		}
	}
}
