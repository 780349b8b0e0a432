//go:build !linux

package backends

import "errors"

// reserveFile needs Linux.
func reserveFile(place, int) (gate, error) {
	return nil, errors.New("a backend on a unix socket needs Linux")
}
