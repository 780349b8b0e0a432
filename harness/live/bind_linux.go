package live

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/harness/scenario"
)

// bindTo makes a dialer connect from an address. The port is left to connect():
// bind() alone doesn't know to whom the connection will go, so it would give away
// one of 28,000 ports for all of them, and for a minute after its end.
func bindTo(d *net.Dialer, from scenario.Address) {
	d.LocalAddr = &net.TCPAddr{IP: from[:]}
	d.Control = func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) {
			failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
		})
		if err != nil {
			return err
		}
		return failed
	}
}
