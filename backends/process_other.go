//go:build !linux

package backends

import "errors"

// Process is a fake backend that runs as a process of its own.
type Process struct{}

// StartProcess needs Linux.
func StartProcess(Options) (*Process, error) {
	return nil, errors.New("a backend as a process of its own needs Linux")
}

// Addr is "".
func (p *Process) Addr() string { return "" }

// Close does nothing.
func (p *Process) Close() error { return nil }
