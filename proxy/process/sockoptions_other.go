//go:build !linux

package process

// tcp sets none of the options that are TCP's: their numbers differ from system
// to system, and none changes what a client sees.
func (o *options) tcp(func(name, value int)) {}
