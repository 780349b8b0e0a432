package freeport_test

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/nolive/nolive/harness/freeport"
)

// A kernel without a free port isn't the end, and any other trouble is.
func TestPortsBelowTheKernelsAreTriedInTurn(t *testing.T) {
	taken := os.NewSyscallError("bind", syscall.EADDRINUSE)
	for _, c := range []struct {
		name string
		bind func(port int) error
		want error
		last []int // tried in the end
		n    int
	}{
		{"the kernel has one", func(int) error { return nil }, nil, []int{0}, 1},
		{"the third is free", func(port int) error {
			if port == freeport.First+2 {
				return nil
			}
			return taken
		}, nil, []int{freeport.First + 1, freeport.First + 2}, 4},
		{"none is free", func(int) error { return taken }, syscall.EADDRINUSE, []int{freeport.Last}, freeport.Last - freeport.First + 2},
		{"not allowed", func(int) error { return syscall.EACCES }, syscall.EACCES, []int{0}, 1},
	} {
		var tried []int
		err := freeport.Bind(func(port int) error { tried = append(tried, port); return c.bind(port) })
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if len(tried) != c.n || !slices.Equal(tried[len(tried)-len(c.last):], c.last) {
			t.Errorf("%s: %d tried, the last %v; want %d, the last %v", c.name, len(tried), tried[len(tried)-len(c.last):], c.n, c.last)
		}
	}
}
