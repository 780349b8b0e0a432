// Package freeport finds a port to listen on where the kernel has no free one left:
// after many connections every ephemeral port may be in TIME_WAIT for a minute. It
// opens no socket; whoever has one binds it.
package freeport

import (
	"errors"
	"syscall"
)

// The ports that are tried then: those below the kernel's ephemeral range, which
// outgoing connections don't take.
const (
	First = 20000
	Last  = 32767
)

// Bind calls bind with port 0, the kernel's choice, and while the port is in use with
// those from First to Last. The error is the last one.
func Bind(bind func(port int) error) error {
	err := bind(0)
	for port := First; errors.Is(err, syscall.EADDRINUSE) && port <= Last; port++ {
		err = bind(port)
	}
	return err
}
