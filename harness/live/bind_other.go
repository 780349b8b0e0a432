//go:build !linux

package live

import (
	"net"

	"github.com/nolive/nolive/harness/scenario"
)

// bindTo makes a dialer connect from an address.
func bindTo(d *net.Dialer, from scenario.Address) { d.LocalAddr = &net.TCPAddr{IP: from[:]} }
