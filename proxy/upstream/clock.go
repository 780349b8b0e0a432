package upstream

import "time"

// second is nginx's clock as its peer code sees it: ngx_time(), whole seconds
// of the wall clock. The origin of a run lies on a whole second, so cutting off
// the fraction gives nginx's value up to a constant. It cuts downwards, also for
// the instants before the origin that a shell may see while it starts.
func second(now time.Duration) int64 {
	s := int64(now / time.Second)
	if now%time.Second < 0 {
		s--
	}
	return epoch + s
}

// epoch keeps the wall clock far from 0, as on nginx: `checked` starts at 0, so
// the very first pick of a peer is always "more than fail_timeout ago".
const epoch = 1 << 31
