//go:build !linux

package live

type processors struct{}

func newProcessors() *processors { return &processors{} }

// next does nothing: here a thread can't be moved.
func (*processors) next() {}
