package backends

import (
	"net"

	"golang.org/x/sys/unix"
)

// unsent is the number of bytes that the kernel still holds back because the
// other side has no room for them.
func unsent(tcp *net.TCPConn) int {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQNSD) })
	return n
}
