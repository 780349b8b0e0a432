package nginx

import (
	"context"
	"syscall"
	"time"
)

// Host is where nginx runs: this machine, unless Options say otherwise. It is
// asked what is there, and then for a seat for each nginx.
type Host interface {
	// Look finds nginx there and says what it has. It is called before every
	// start, so a host remembers what it found.
	Look(context.Context) (Found, error)
	// Sit makes room for one nginx that listens on n addresses. try counts the
	// tries of one start from 1; another one follows a *PortError.
	Sit(ctx context.Context, n, try int) (Seat, error)
}

// Found is what a host says of its nginx.
type Found struct {
	// Program is the path or name that nginx has there.
	Program string
	// Output is what it answers to -V.
	Output string
	// Number is its version, "1.22.1"; a fork's is that of the nginx that it is
	// made from. Look fills it in.
	Number string
	// Faketime is libfaketime's path there. Without one runs above speed 1 are
	// refused with NoFaketime as the reason, "" being that nothing was found.
	Faketime, NoFaketime string
	// Root is true where nginx is started by the superuser.
	Root bool
	// Env is the environment that nginx would be started with.
	Env []string
	// Folder is where nginx's folder has to lie, "" for anywhere.
	Folder string
	// Backends is the IP address of this machine on which nginx reaches it from
	// there, so that backends have to listen on it; "" is 127.0.0.1.
	Backends string
	// Loopback is the IP address that stands there for our 127.0.0.1, "" for
	// 127.0.0.1 itself.
	Loopback string
}

// Seat is room for one nginx.
type Seat interface {
	// Listen are the addresses that nginx is told to listen on, and Dial those
	// at which clients here reach them, in the same order.
	Listen() []string
	Dial() []string
	// Start starts the master. ctx bounds the start only.
	Start(context.Context, Command) (Child, error)
	// Leave gives the seat back, and ends what may still run on it.
	Leave() error
}

// Command is how a master is started.
type Command struct {
	// Program is Found's; Args come after its name.
	Program string
	Args    []string
	// Env is the whole environment, "key=value".
	Env []string
	// Dir is the working directory, the same path here and there.
	Dir string
	// Stderr is the file, here, that gets the master's standard error.
	Stderr string
}

// Child is a master with all its workers.
type Child interface {
	// Done is closed when the master has ended and nothing of it runs.
	Done() <-chan struct{}
	// State says how it ended, "exit status 1", once Done is closed.
	State() string
	// Signal sends the master SIGQUIT or SIGTERM, if it still runs, and returns
	// when it has it.
	Signal(syscall.Signal)
	// Kill ends the master and every worker at once.
	Kill()
	// Left names what still runs, for a message.
	Left() string
}

// waited waits for the end of a child, at most d.
func waited(c Child, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c.Done():
		return true
	case <-t.C:
		return false
	}
}

// ended says whether a child has ended.
func ended(c Child) bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}
