package upstream

import (
	"hash/crc32"
	"strconv"
)

// ipHashStart is where ip_hash begins, ipHashFactor and ipHashModulus how it
// takes in an octet (ngx_http_upstream_get_ip_hash_peer).
const (
	ipHashStart   = 89
	ipHashFactor  = 113
	ipHashModulus = 6271
)

// pickIPHash is ip_hash: three octets of an IPv4 address, so that a /24 stays
// together, all 16 of an IPv6 one, and 0.0.0 for a client without an address.
// After a miss the same octets are taken in again. Weights aren't moved.
func (r *Request) pickIPHash(s *set, now int64) (*peer, int) {
	octets := r.client
	switch len(octets) {
	case 4:
		octets = octets[:3]
	case 16:
	default:
		octets = noAddress
	}
	for {
		for _, o := range octets {
			r.hash = (r.hash*ipHashFactor + uint32(o)) % ipHashModulus
		}
		if i := s.within(uint64(r.hash) % s.total()); s.may(i, &r.tried, now) {
			s.peers[i].stamp(now)
			return &s.peers[i], i
		}
		if r.miss() {
			return nil, -1
		}
	}
}

// noAddress stands for a client on a unix socket.
var noAddress = []byte{0, 0, 0}

// pickHash is `hash KEY`, compatible with Cache::Memcached: the sum of
// crc32([rehash] key) >> 16 & 0x7fff over all tries, the first without a rehash
// (ngx_http_upstream_get_hash_peer). Weights aren't moved. Without a key it is
// round robin.
func (r *Request) pickHash(s *set, now int64) (*peer, int) {
	if r.key == "" && !r.group.cfg.Version.HashesEmptyKey() {
		return nil, -1
	}
	for {
		h := uint32(0)
		if r.rehash > 0 {
			var digits [10]byte
			for _, c := range strconv.AppendUint(digits[:0], uint64(r.rehash), 10) {
				h = crcByte(h, c)
			}
		}
		r.hash += crc(h, r.key) >> 16 & 0x7fff
		r.rehash++
		if i := s.within(uint64(r.hash) % s.total()); s.may(i, &r.tried, now) {
			s.peers[i].stamp(now)
			return &s.peers[i], i
		}
		if r.miss() {
			return nil, -1
		}
	}
}

// crc goes on with a CRC-32 (IEEE) over the bytes of s. crc32.Update wants a
// slice, and making one of a string costs memory.
func crc(h uint32, s string) uint32 {
	h = ^h
	for i := range len(s) {
		h = crc32.IEEETable[byte(h)^s[i]] ^ h>>8
	}
	return ^h
}

func crcByte(h uint32, c byte) uint32 {
	h = ^h
	return ^(crc32.IEEETable[byte(h)^c] ^ h>>8)
}
