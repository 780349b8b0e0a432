package container

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/nolive/nolive/proxy/nginx"
)

// Pool has the containers of one invocation. The zero value is ready; nothing
// happens before an image is looked at. Its methods are safe for concurrent use.
type Pool struct {
	mu     sync.Mutex
	engine *engine
	images map[imageKey]*Image
	owner  *owner
	closed bool
	number atomic.Int64 // of the containers
}

type imageKey struct {
	name    string
	network Network
}

var errClosed = errors.New("the containers were closed")

// Image is an image as a place for nginx to run, on a network.
func (p *Pool) Image(name string, n Network) *Image {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := imageKey{name, n}
	if p.images[k] == nil {
		if p.images == nil {
			p.images = map[imageKey]*Image{}
		}
		p.images[k] = &Image{pool: p, name: name, network: n}
	}
	return p.images[k]
}

// Has says whether an image is here, without fetching it. Any trouble is a no.
func (p *Pool) Has(ctx context.Context, image string) bool {
	e, err := p.open(ctx)
	return err == nil && e.has(ctx, image)
}

// open connects to the engine, removes what a killed run left, and makes the
// folder that all containers see.
func (p *Pool) open(ctx context.Context) (*engine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if p.engine != nil {
		return p.engine, nil
	}
	e, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	e.sweep(ctx)
	if p.owner, err = newOwner(rand.Text()[:10]); err != nil {
		e.client.Close()
		return nil, err
	}
	p.engine = e
	return e, nil
}

// next numbers a container.
func (p *Pool) next() string { return strconv.FormatInt(p.number.Add(1), 10) }

// Close removes all containers and the folder. It may be called again.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	if p.engine == nil {
		return nil
	}
	var errs []error
	for _, i := range p.images {
		errs = append(errs, i.close())
	}
	errs = append(errs, p.engine.client.Close(), p.owner.close())
	return errors.Join(errs...)
}

// owner is this process as others see it: a folder with a lock that the kernel
// lets go of when we end, however that happens.
type owner struct {
	id   string
	dir  string
	lock *nginx.Lock
}

// The names in the folder.
const (
	folderPrefix = "nolive-docker-"
	lockFile     = "lock"
	idleFile     = "idle.conf"
)

func newOwner(id string) (*owner, error) {
	dir, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return nil, err
	}
	o := &owner{id: id, dir: dir}
	if o.lock, err = nginx.NewLock(filepath.Join(dir, lockFile)); err == nil {
		err = os.WriteFile(filepath.Join(dir, idleFile), []byte("events {}\n"), 0o644)
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

func (o *owner) close() error {
	err := os.RemoveAll(o.dir)
	if o.lock != nil {
		o.lock.Close()
	}
	return err
}
