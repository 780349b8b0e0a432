package process

import "golang.org/x/sys/unix"

// tcp sets the options that are TCP's.
func (o *options) tcp(set func(name, value int)) {
	if o.deferred {
		set(unix.TCP_DEFER_ACCEPT, 1)
	}
	if o.fastOpen > 0 {
		set(unix.TCP_FASTOPEN, o.fastOpen)
	}
	if o.idle > 0 {
		set(unix.TCP_KEEPIDLE, o.idle)
	}
	if o.interval > 0 {
		set(unix.TCP_KEEPINTVL, o.interval)
	}
	if o.probes > 0 {
		set(unix.TCP_KEEPCNT, o.probes)
	}
}
