package fault

import "errors"

// OnUnixSocket says why a backend that listens on a unix socket can't do this, nil
// when it can. A reset it can do: closing with unread data is one to the other side.
func (f *Fault) OnUnixSocket() error {
	if f.Door == Blackholed {
		return errors.New("blackhole: a connect to a unix socket is always answered: refuse has the kernel refuse it, freeze with a backlog has it find the queue full")
	}
	return nil
}
