package scenario

import (
	"encoding/binary"
	"net/netip"
	"reflect"

	"go.yaml.in/yaml/v4"

	"github.com/nolive/nolive/harness/scenario/internal/bind"
	"github.com/nolive/nolive/harness/scenario/internal/form"
)

// Address is the IPv4 address that a client connects from.
type Address [4]byte

// Loopback is the address of a client whose traffic gives none.
var Loopback = Address{127, 0, 0, 1}

// String is the address with dots.
func (a Address) String() string { return netip.AddrFrom4(a).String() }

// Addresses are ranges of loopback addresses; none of them is Loopback alone.
type Addresses []AddressRange

// AddressRange reaches from First to Last, both included.
type AddressRange struct{ First, Last Address }

func (r AddressRange) size() uint64 {
	return uint64(binary.BigEndian.Uint32(r.Last[:])) - uint64(binary.BigEndian.Uint32(r.First[:])) + 1
}

// Several says whether there is more than one address.
func (as Addresses) Several() bool {
	return len(as) > 1 || len(as) == 1 && as[0].First != as[0].Last
}

// At is the address at a share, from 0 up to but not 1, of all of them.
func (as Addresses) At(share float64) Address {
	return as.nth(uint64(share * float64(as.count())))
}

// count is how many addresses there are.
func (as Addresses) count() uint64 {
	total := uint64(0)
	for _, r := range as {
		total += r.size()
	}
	return total
}

// nth is the n-th address, from 0.
func (as Addresses) nth(n uint64) Address {
	for _, r := range as {
		if n < r.size() {
			var a Address
			binary.BigEndian.PutUint32(a[:], binary.BigEndian.Uint32(r.First[:])+uint32(n))
			return a
		}
		n -= r.size()
	}
	return Loopback
}

// bindAddresses takes one address or range, or a list of them.
func bindAddresses(b *bind.Binder, what string, n *yaml.Node, v reflect.Value) {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
		if len(list) == 0 {
			b.Errorf(n, "%s: the list is empty; leave it out for 127.0.0.1", what)
		}
	}
	var out form.Addresses
	for _, c := range list {
		var r form.AddressRange
		b.Value(what, c, reflect.ValueOf(&r).Elem())
		out = append(out, r)
	}
	v.Set(reflect.ValueOf(out))
}

// addresses are those of a traffic's clients.
func addresses(in form.Addresses) Addresses {
	var out Addresses
	for _, r := range in {
		out = append(out, AddressRange{Address(r.First), Address(r.Last)})
	}
	return out
}
