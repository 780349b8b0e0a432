package backends_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
)

// overUnix is true in the process in which TestOverUnixSockets runs the tests again.
var overUnix = os.Getenv("NOLIVE_TEST_OVER_UNIX") != ""

// shut are the doors behind which everything stands still.
var shut = map[bool][]fault.Door{false: {fault.Frozen, fault.Blackholed}, true: {fault.Frozen}}[overUnix]

// placed lets a backend listen where this process has its backends listen.
func placed(o backends.Options) backends.Options {
	if overUnix && o.Listen == "" {
		o.Listen = "unix:"
	}
	return o
}

// client is a client's connection.
type client interface {
	net.Conn
	CloseWrite() error
	// SetLinger with 0 makes Close a reset, where there are resets.
	SetLinger(int) error
}

type unixClient struct{ *net.UnixConn }

// SetLinger does nothing.
func (unixClient) SetLinger(int) error { return nil }

// connect connects to a backend's address.
func connect(addr string, wait time.Duration) (client, error) {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		c, err := net.DialTimeout("unix", path, wait)
		if err != nil {
			return nil, err
		}
		return unixClient{c.(*net.UnixConn)}, nil
	}
	c, err := net.DialTimeout("tcp", addr, wait)
	if err != nil {
		return nil, err
	}
	return c.(*net.TCPConn), nil
}

// full says whether a connect failed as it does when the accept queue is full: a SYN
// is dropped, and over a unix socket there is EAGAIN at once.
func full(err error) bool {
	if overUnix {
		return errors.Is(err, syscall.EAGAIN)
	}
	var late net.Error
	return errors.As(err, &late) && late.Timeout()
}

// onlyTCP are the tests that say nothing of unix sockets, with the reason.
var onlyTCP = map[string]string{
	"TestRefusedPortIsKept":                       "a file is nobody's local address",
	"TestBlackholesOwnConnectionIsNotCounted":     "no packets, no black hole",
	"TestPendingConnectSucceedsAfterTheBlackhole": "no packets, no black hole",
	"TestStartSaysWhatIsWrong":                    "it says so itself",
	"TestShortageOfDescriptorsIsTold":             "the shell that is started has none either",
	"TestHungConnectionsAreCheap":                 "measured once",
	"TestProgramsWithoutTheHookAreTold":           "listens nowhere",
	"TestOverUnixSockets":                         "this is that",
}

// Every fault, door and change is over a unix socket what it is over TCP, and
// nothing is left behind: all tests of this package hold there too.
func TestOverUnixSockets(t *testing.T) {
	var names []string
	for name := range onlyTCP {
		names = append(names, "^"+name+"$")
	}
	dir, err := os.MkdirTemp("/tmp", "u") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command(os.Args[0], "-test.timeout=5m", "-test.run=^Test", "-test.skip="+strings.Join(names, "|"))
	cmd.Env = append(os.Environ(), "NOLIVE_TEST_OVER_UNIX=1", "TMPDIR="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "nolive-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
