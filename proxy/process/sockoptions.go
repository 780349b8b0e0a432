package process

import (
	"net"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// options are the socket options of a listen (ngx_http_core_listen); nginx has
// checked their form.
type options struct {
	// bind is true when the address gets a socket of its own whatever else is
	// listened on.
	bind bool
	// backlog is how many clients may wait; nginx's default on Linux is 511.
	backlog int
	// dual is ipv6only=off.
	dual                       bool
	reuse, deferred, keepalive bool
	fastOpen                   int
	receive, send              int64
	idle, interval, probes     int
}

func readOptions(parameters []string) options {
	o := options{backlog: 511}
	for _, p := range parameters {
		key, value, _ := strings.Cut(p, "=")
		n, _ := strconv.Atoi(value)
		switch key {
		case "bind":
		case "backlog":
			o.backlog = n
		case "ipv6only":
			o.dual = value == "off"
		case "reuseport":
			o.reuse = true
		case "deferred":
			o.deferred = true
		case "fastopen":
			o.fastOpen = n
		case "rcvbuf":
			o.receive = bytes(value)
		case "sndbuf":
			o.send = bytes(value)
		case "so_keepalive":
			o.readKeepalive(value)
		default:
			continue
		}
		o.bind = true
	}
	return o
}

// bytes reads a size with k or m.
func bytes(s string) int64 {
	shift := 0
	switch {
	case strings.HasSuffix(s, "k"), strings.HasSuffix(s, "K"):
		shift = 10
	case strings.HasSuffix(s, "m"), strings.HasSuffix(s, "M"):
		shift = 20
	}
	n, _ := strconv.ParseInt(strings.TrimRight(s, "kKmM"), 10, 64)
	return n << shift
}

// readKeepalive reads on, off or idle:interval:count; times are in seconds or
// minutes.
func (o *options) readKeepalive(v string) {
	o.keepalive = v != "off"
	if v == "on" || v == "off" {
		return
	}
	parts := append(strings.Split(v, ":"), "", "")
	seconds := func(s string) int {
		n, _ := strconv.Atoi(strings.TrimRight(s, "sm"))
		if strings.HasSuffix(s, "m") {
			n *= 60
		}
		return n
	}
	o.idle, o.interval = seconds(parts[0]), seconds(parts[1])
	o.probes, _ = strconv.Atoi(parts[2])
}

// add takes the options of another listen with the same address: one of them may
// set some.
func (o *options) add(other options) {
	if other.bind {
		*o = other
	}
}

// control sets what has to be set before bind.
func (o *options) control(network, _ string, c syscall.RawConn) error {
	var err error
	set := func(fd uintptr, level, name, value int) {
		if e := unix.SetsockoptInt(int(fd), level, name, value); err == nil && e != nil {
			err = e
		}
	}
	if e := c.Control(func(fd uintptr) {
		if network == "unix" {
			return
		}
		if o.reuse {
			set(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}
		if o.dual {
			set(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0)
		}
		if o.receive > 0 {
			set(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, int(o.receive))
		}
		if o.send > 0 {
			set(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, int(o.send))
		}
		if o.keepalive {
			set(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
		}
		o.tcp(func(name, value int) { set(fd, unix.IPPROTO_TCP, name, value) })
	}); e != nil {
		return e
	}
	return err
}

// again sets the backlog: Go listens with the system's longest.
func (o *options) again(l net.Listener) error {
	s, ok := l.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = unix.Listen(int(fd), o.backlog) }); err != nil {
		return err
	}
	return failed
}
