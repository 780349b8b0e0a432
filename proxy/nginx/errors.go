package nginx

import (
	"fmt"
	"strconv"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// BinaryError says that there is no nginx to run.
type BinaryError struct {
	// Binary as given, "" for the one on PATH.
	Binary string
	// Err is the reason, nil when nothing was found.
	Err error
}

func (e *BinaryError) Error() string {
	if e.Binary == "" {
		return "nginx not found on PATH: install it (Debian: apt-get install nginx faketime) or build the image nolive/nginx (make image), or name another one with --nginx-binary or --nginx-image"
	}
	return fmt.Sprintf("nginx binary %s: %v", e.Binary, e.Err)
}

// Unwrap returns the reason.
func (e *BinaryError) Unwrap() error { return e.Err }

// FaketimeError says that a run above speed 1 can't be had here.
type FaketimeError struct {
	Speed float64
	// Reason is "" when the library was not found anywhere.
	Reason string
}

func (e *FaketimeError) Error() string {
	s := "speed " + formatSpeed(e.Speed) + " needs libfaketime: run at --speed 1 or install it (Debian: faketime)"
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	return s
}

// ConfigError is nginx's own refusal of the configuration.
type ConfigError struct {
	// Pos is the place in the user's file; the zero value when nginx names none,
	// or one that the user didn't write.
	Pos nginxconf.Pos
	// Message is nginx's, without level and file.
	Message string
}

func (e *ConfigError) Error() string {
	s := "nginx rejects the configuration: " + e.Message
	if e.Pos != (nginxconf.Pos{}) {
		s = e.Pos.String() + ": " + s
	}
	return s
}

// ExitError says that nginx ended when it shouldn't have.
type ExitError struct {
	// During is "start" or "run".
	During string
	// State is the process's, such as "exit status 1".
	State string
	// Output is the end of what nginx wrote to its standard error.
	Output string
}

func (e *ExitError) Error() string {
	s := "nginx ended during the " + e.During + ": " + e.State
	if e.Output != "" {
		s += ": " + e.Output
	}
	return s
}

// PrefixError says that nginx's folder can't be used.
type PrefixError struct {
	Dir string
	Err error
}

func (e *PrefixError) Error() string { return fmt.Sprintf("nginx prefix %s: %v", e.Dir, e.Err) }

// Unwrap returns the reason.
func (e *PrefixError) Unwrap() error { return e.Err }

// PortError says that no free port could be had, in several tries.
type PortError struct{ Message string }

func (e *PortError) Error() string { return "no free port for nginx: " + e.Message }

func formatSpeed(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
