package plan

import (
	"strconv"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/scenario"
)

// Address is where the n-th request, from 1, is sent from. A user keeps its
// address; in an open loop every request draws one.
func (t *Traffic) Address(n int) scenario.Address {
	as := t.Spec.Client.Addresses
	switch {
	case len(as) == 0:
		return scenario.Loopback
	case !as.Several():
		return as[0].First
	case !t.Open():
		n = (n-1)%t.Users() + 1
	}
	return as.At(fault.Draw(t.seed, "address", t.Spec.Name, strconv.Itoa(n)))
}
