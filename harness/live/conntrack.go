package live

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// The kernel's table of tracked connections, as far as there is one: a machine
// with a firewall or with Docker tracks loopback connections too, each for two
// minutes after its end.
const (
	conntrackCount = "/proc/sys/net/netfilter/nf_conntrack_count"
	conntrackMax   = "/proc/sys/net/netfilter/nf_conntrack_max"
)

// untracked says that the table is full: then the kernel drops packets, a SYN is
// sent again after a second of real time, and at speed 30 that is half a minute
// in which a healthy backend looks dead. Slower runs connect less often.
func untracked(count, limit int, speed float64) *invalid {
	if limit == 0 || count < limit-limit/100 {
		return nil
	}
	return &invalid{
		reason: fmt.Sprintf("the kernel's table of tracked connections is full (%d of %d), so it drops connects: "+
			"raise net.netfilter.nf_conntrack_max, or run fewer or slower", count, limit),
		again: speed > 1,
	}
}

// number reads a kernel setting, 0 when there is none.
func number(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}
