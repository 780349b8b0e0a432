package container

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// EngineError says that no Docker engine answers.
type EngineError struct {
	// Host is the engine's address; "" when no socket was found.
	Host string
	// FromEnv is true when DOCKER_HOST named it.
	FromEnv bool
	Err     error
}

func (e *EngineError) Error() string {
	switch {
	case e.Host == "":
		return "no Docker engine: there is no socket at " + strings.Join(sockets(), " or ") + ": start it (systemctl start docker, or dockerd), or set DOCKER_HOST"
	case e.FromEnv:
		return fmt.Sprintf("no Docker engine answers at %s: %v: start it, or correct DOCKER_HOST", e.Host, plain(e.Err))
	}
	return fmt.Sprintf("no Docker engine answers at %s: %v: start it (systemctl start docker, or dockerd)", e.Host, plain(e.Err))
}

// Unwrap returns the reason.
func (e *EngineError) Unwrap() error { return e.Err }

// plain is the operating system's reason where there is one: the client's own
// text repeats the address twice.
func plain(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	if strings.Contains(err.Error(), "Is the docker daemon running?") {
		return errors.New("nothing listens there")
	}
	return err
}

// ImageError says that an image can't be used.
type ImageError struct {
	Image string
	// Reason continues "image X ...": "has no nginx".
	Reason string
	Err    error
}

func (e *ImageError) Error() string {
	s := "image " + e.Image + " " + e.Reason
	if e.Err != nil {
		s += ": " + strings.TrimPrefix(e.Err.Error(), "Error response from daemon: ")
	}
	return s
}

// Unwrap returns the cause.
func (e *ImageError) Unwrap() error { return e.Err }
