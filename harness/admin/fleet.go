package admin

import (
	"errors"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/scenario"
)

// Fleet is backends that serve without a proxy.
type Fleet struct {
	clock   *clock.Clock
	members []*member
}

// member is one backend and its log.
type member struct {
	name   string
	server *backends.Server
	log    *journal
}

// Start starts the backends, in real time from now on. The error says which one
// can't be had; then none is left.
func Start(stand *scenario.Stand) (*Fleet, error) {
	f := &Fleet{clock: clock.New(1)}
	f.clock.Begin(time.Now())
	for _, b := range stand.Backends {
		m := &member{name: b.Name, log: newJournal()}
		var err error
		m.server, err = backends.Start(backends.Options{
			Name: b.Name, Listen: b.Listen, Rules: b.Rules, Text: b.Text, Backlog: b.Backlog, Clock: f.clock, Log: m.log, Seed: stand.Seed,
		})
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.members = append(f.members, m)
	}
	return f, nil
}

// Close ends all backends, and every log that is being followed. It may be
// called again.
func (f *Fleet) Close() error {
	closed := make(chan error, len(f.members))
	for _, m := range f.members {
		go func() {
			err := m.server.Close()
			m.log.close()
			closed <- err
		}()
	}
	var errs []error
	for range f.members {
		errs = append(errs, <-closed)
	}
	return errors.Join(errs...)
}

// Addresses are where the backends listen, in order.
func (f *Fleet) Addresses() []string {
	var out []string
	for _, m := range f.members {
		out = append(out, m.server.Addr())
	}
	return out
}

// Counts are what the backends have seen, in order.
func (f *Fleet) Counts() []backends.Counts {
	var out []backends.Counts
	for _, m := range f.members {
		out = append(out, m.server.Counts())
	}
	return out
}

// Late is how late the waits of all backends were.
func (f *Fleet) Late() clock.Jitter { return f.clock.Lateness().Jitter(clock.Wait) }

// find is a member by its name or address; nil for none.
func (f *Fleet) find(name string) *member {
	for _, m := range f.members {
		if m.name == name || m.server.Addr() == name {
			return m
		}
	}
	return nil
}
