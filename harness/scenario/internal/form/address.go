package form

import (
	"fmt"
	"net/netip"
	"strings"
)

// Addresses are the addresses that clients connect from.
type Addresses []AddressRange

// AddressRange is an address, or all from the first to the last one.
type AddressRange struct{ First, Last [4]byte }

// The loopback network without the two addresses of it that nobody can connect
// from: its own and the one for all.
var (
	firstLoopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	lastLoopback  = netip.AddrFrom4([4]byte{127, 255, 255, 254})
)

// UnmarshalText parses "127.0.0.7", "127.0.0.0/24" or "127.0.1.1..127.0.1.9".
func (r *AddressRange) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	first, last := s, s
	switch {
	case strings.Contains(s, ".."):
		first, last, _ = strings.Cut(s, "..")
	case strings.Contains(s, "/"):
		p, err := netip.ParsePrefix(s)
		if err != nil || !p.Addr().Is4() {
			return wantAddress(text)
		}
		if p.Masked() != p {
			return mistake{fmt.Errorf("%s isn't the start of its network", short(text)), p.Masked().String()}
		}
		lo := p.Addr().As4()
		hi := lo
		for bit := p.Bits(); bit < 32; bit++ {
			hi[bit/8] |= 0x80 >> (bit % 8)
		}
		first, last = netip.AddrFrom4(lo).String(), netip.AddrFrom4(hi).String()
		if p.Bits() < 31 { // as good as all of it
			if lo == [4]byte{127} {
				first = firstLoopback.String()
			}
			if hi == [4]byte{127, 255, 255, 255} {
				last = lastLoopback.String()
			}
		}
	}
	from, err := netip.ParseAddr(strings.TrimSpace(first))
	to, err2 := netip.ParseAddr(strings.TrimSpace(last))
	switch {
	case err != nil || err2 != nil || !from.Is4() || !to.Is4():
		return wantAddress(text)
	case from.Less(firstLoopback) || lastLoopback.Less(from) || to.Less(firstLoopback) || lastLoopback.Less(to):
		return fmt.Errorf("want addresses of 127.0.0.0/8, which every Linux can connect from, got %q; "+
			"others may come in a header that set_real_ip_from trusts", short(text))
	case to.Less(from):
		return mistake{fmt.Errorf("the range %s is empty", short(text)), to.String() + ".." + from.String()}
	}
	r.First, r.Last = from.As4(), to.As4()
	return nil
}

func wantAddress(text []byte) error {
	return fmt.Errorf("want an address such as 127.0.0.7, a network such as 127.0.0.0/24 or a range such as 127.0.1.1..127.0.1.9, got %q", short(text))
}
