package container

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/nolive/nolive/proxy/nginx"
)

// Image is a place for nginx to run. Get one from a Pool.
type Image struct {
	pool    *Pool
	name    string
	network Network

	mu    sync.Mutex
	found *nginx.Found
	// failed is why it can't be used: the next run needn't wait for that again.
	failed error
	box    *box // the one that runs share; nil on a bridge
}

var _ nginx.Host = (*Image)(nil)

// String is the image's name.
func (i *Image) String() string { return i.name }

// lookTimeout is how long it may take until a container runs, and pullTimeout
// until an image is there.
const (
	lookTimeout = 60 * time.Second
	pullTimeout = 5 * time.Minute
)

// faketimePlaces are where libfaketime may lie; our own images have it at the first.
var faketimePlaces = []string{
	"/usr/lib/faketime/libfaketime.so.1",
	"/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
	"/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
	"/usr/lib/arm-linux-gnueabihf/faketime/libfaketime.so.1",
	"/usr/lib64/faketime/libfaketime.so.1",
	"/usr/local/lib/faketime/libfaketime.so.1",
}

// Look starts a container of the image, the first time, and sees what it has.
func (i *Image) Look(ctx context.Context) (nginx.Found, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.found != nil || i.failed != nil {
		return i.known()
	}
	f, err := i.look(ctx)
	if err == nil {
		i.found = &f
	} else if ctx.Err() == nil {
		i.failed = err
	}
	return f, err
}

func (i *Image) known() (nginx.Found, error) {
	if i.failed != nil {
		return nginx.Found{}, i.failed
	}
	return *i.found, nil
}

func (i *Image) look(ctx context.Context) (found nginx.Found, err error) {
	e, err := i.pool.open(ctx)
	if err != nil {
		return nginx.Found{}, err
	}
	switch {
	case i.network == Auto && e.here:
		i.network = Host
	case i.network == Auto:
		i.network = Bridge
	case i.network == Host && !e.here:
		return nginx.Found{}, errors.New("--nginx-network host: the Docker engine doesn't share this machine's network: take bridge")
	}
	if err := i.have(ctx, e); err != nil {
		return nginx.Found{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lookTimeout, fmt.Errorf("image %s: no container within %v", i.name, lookTimeout))
	defer cancel()
	b, err := i.start(ctx, e, 0)
	if err == nil {
		found, err = b.look(ctx)
	}
	if b != nil && (err != nil || i.network == Bridge) {
		err = errors.Join(err, b.end())
	} else {
		i.box = b
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nginx.Found{}, err
	}
	return found, nil
}

// have fetches the image if it isn't here.
func (i *Image) have(ctx context.Context, e *engine) error {
	_, err := e.client.ImageInspect(ctx, i.name)
	switch {
	case err == nil:
		return nil
	case errdefs.IsInvalidArgument(err):
		return &ImageError{Image: i.name, Reason: "is no name of an image", Err: err}
	case !errdefs.IsNotFound(err):
		return err
	}
	pulling, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	if err := e.pull(pulling, i.name); err != nil && ctx.Err() == nil {
		return &ImageError{Image: i.name, Reason: "isn't here (make image builds one) and can't be pulled", Err: err}
	}
	return ctx.Err()
}

// look asks a container for its nginx, libfaketime and the way to this machine.
func (b *box) look(ctx context.Context) (nginx.Found, error) {
	f := nginx.Found{Program: "nginx", Root: b.root, Folder: b.image.pool.owner.dir}
	out, code, err := b.run(ctx, []string{"nginx", "-V"})
	if err != nil {
		return f, b.whyNot(ctx, err)
	}
	if code != 0 {
		b.ending(ctx)
		return f, b.whyNot(ctx, &ImageError{Image: b.image.name, Reason: fmt.Sprintf("has an nginx that ends with exit status %d when it is asked for its version", code)})
	}
	f.Output = out
	f.NoFaketime = "image " + b.image.name + " has none; make image NGINX_IMAGE=" + b.image.name + " makes one that has"
	for _, place := range faketimePlaces {
		if _, err := b.engine.client.ContainerStatPath(ctx, b.id, client.ContainerStatPathOptions{Path: place}); err == nil {
			f.Faketime = place
			break
		}
	}
	if b.image.network == Bridge {
		gateway, err := b.gateway(ctx)
		if err != nil {
			return f, fmt.Errorf("image %s: no way from a bridge to this machine: %w", b.image.name, err)
		}
		// On Linux the gateway is an address of this machine, on which backends can
		// listen. Docker Desktop's is one that stands for our loopback.
		if ours(gateway) {
			f.Backends = gateway
		} else {
			f.Loopback = gateway
		}
	}
	return f, nil
}

// gatewayName is what Docker calls this machine in a container.
const gatewayName = "host.docker.internal"

// gateway is the address that host-gateway stands for, as the container's
// /etc/hosts has it.
func (b *box) gateway(ctx context.Context) (string, error) {
	r, err := b.engine.client.CopyFromContainer(ctx, b.id, client.CopyFromContainerOptions{SourcePath: "/etc/hosts"})
	if err != nil {
		return "", err
	}
	defer r.Content.Close()
	t := tar.NewReader(r.Content)
	if _, err := t.Next(); err != nil {
		return "", err
	}
	return hostsEntry(t, gatewayName)
}

// hostsEntry finds a name in the text of /etc/hosts.
func hostsEntry(r io.Reader, name string) (string, error) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		words := strings.Fields(s.Text())
		for n, w := range words {
			if n > 0 && w == name && net.ParseIP(words[0]).To4() != nil {
				return words[0], nil
			}
		}
	}
	return "", errors.Join(s.Err(), fmt.Errorf("/etc/hosts has no %s", name))
}

// ours says whether an address is one of this machine's.
func ours(ip string) bool {
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.Equal(net.ParseIP(ip)) {
			return true
		}
	}
	return false
}

// Sit finds room in the shared container, or on a bridge in a new one.
func (i *Image) Sit(ctx context.Context, n, _ int) (nginx.Seat, error) {
	e, err := i.pool.open(ctx)
	if err != nil {
		return nil, err
	}
	if i.network == Bridge {
		b, err := i.start(ctx, e, n)
		if err != nil {
			if b != nil {
				err = errors.Join(err, b.end())
			}
			return nil, err
		}
		return bridgeSeat{b}, nil
	}
	b, err := i.shared(ctx, e)
	if err != nil {
		return nil, err
	}
	ports, err := hold(n)
	if err != nil {
		return nil, err
	}
	return hostSeat{b, ports}, nil
}

// shared is the container that runs share, a new one if the last was killed.
func (i *Image) shared(ctx context.Context, e *engine) (*box, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.box != nil && i.box.runs(ctx) {
		return i.box, nil
	}
	if i.box != nil {
		if err := i.box.end(); err != nil {
			return nil, err
		}
		i.box = nil
	}
	b, err := i.start(ctx, e, 0)
	if err != nil {
		if b != nil {
			err = errors.Join(err, b.end())
		}
		return nil, err
	}
	i.box = b
	return b, nil
}

func (i *Image) close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.box == nil {
		return nil
	}
	b := i.box
	i.box = nil
	return b.end()
}
