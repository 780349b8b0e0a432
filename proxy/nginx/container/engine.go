package container

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

// engine is a Docker engine that answers.
type engine struct {
	client *client.Client
	// here is true when its containers can share this machine's network.
	here bool
	// rootless is true when the engine runs as us, so that we are root inside.
	rootless bool
	// cgroupfs is true when the engine makes control groups by itself, not systemd.
	cgroupfs bool
}

// How long an engine may take to answer, and Ryuk's image to come.
const (
	pingTimeout = 5 * time.Second
	ryukTimeout = 10 * time.Second
)

// connect finds the engine and asks whether it is there. We ask before
// testcontainers does, which remembers its first failure for ever, and tries
// other engines than the one that DOCKER_HOST names.
func connect(ctx context.Context) (*engine, error) {
	host, fromEnv := os.Getenv("DOCKER_HOST"), true
	if host == "" {
		fromEnv = false
		for _, s := range sockets() {
			if _, err := os.Stat(s); err == nil {
				host = "unix://" + s
				break
			}
		}
	}
	if host == "" {
		return nil, &EngineError{}
	}
	c, err := client.New(client.FromEnv, client.WithHost(host))
	if err != nil {
		return nil, &EngineError{host, fromEnv, err}
	}
	asking, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	info, err := c.Info(asking, client.InfoOptions{})
	if err != nil {
		c.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &EngineError{host, fromEnv, err}
	}
	e := &engine{client: c}
	for _, o := range info.Info.SecurityOptions {
		e.rootless = e.rootless || strings.Contains(o, "name=rootless")
	}
	// Docker Desktop's engine is in a virtual machine, and a rootless one in a
	// network namespace of its own.
	e.here = runtime.GOOS == "linux" && local(host) && !e.rootless && info.Info.OperatingSystem != "Docker Desktop"
	e.cgroupfs = e.here && info.Info.CgroupDriver == "cgroupfs"
	log.SetDefault(log.NewNoopLogger()) // it would tell every step on standard error
	e.ryuk(ctx)
	return e, nil
}

// sockets are where engines listen: the system's, and a user's own.
func sockets() []string {
	list := []string{"/var/run/docker.sock"}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		list = append(list, filepath.Join(dir, "docker.sock"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		list = append(list, filepath.Join(home, ".docker/run/docker.sock"), filepath.Join(home, ".docker/desktop/docker.sock"))
	}
	return list
}

// local says whether an engine's address is one of this machine.
func local(host string) bool {
	u, err := url.Parse(host)
	if err != nil || u.Scheme == "unix" {
		return err == nil
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip.IsLoopback()
}

// ryuk lets testcontainers use its reaper, which removes our containers even
// when we are killed, if its image is here or can be had; else it would refuse
// to start anything. It reads the variable once, at its first call. Without the
// reaper the next run removes what is left.
func (e *engine) ryuk(ctx context.Context) {
	const disabled, hostOverride = "TESTCONTAINERS_RYUK_DISABLED", "TESTCONTAINERS_HOST_OVERRIDE"
	if os.Getenv(disabled) != "" {
		return
	}
	image := testcontainers.ReaperDefaultImage
	if prefix := os.Getenv("TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX"); prefix != "" {
		image = strings.TrimSuffix(prefix, "/") + "/" + image
	}
	ctx, cancel := context.WithTimeout(ctx, ryukTimeout)
	defer cancel()
	if !e.has(ctx, image) && e.pull(ctx, image) != nil {
		os.Setenv(disabled, "true")
		return
	}
	// A machine that was made from an image of Docker has this file, and then
	// testcontainers looks for the reaper's port on the bridge's gateway.
	if _, err := os.Stat("/.dockerenv"); err == nil && e.here && os.Getenv(hostOverride) == "" {
		os.Setenv(hostOverride, "localhost")
	}
}

// has says whether an image is here.
func (e *engine) has(ctx context.Context, image string) bool {
	_, err := e.client.ImageInspect(ctx, image)
	return err == nil
}

// pull fetches an image, once: testcontainers would try for a quarter of an hour.
func (e *engine) pull(ctx context.Context, image string) error {
	r, err := e.client.ImagePull(ctx, image, client.ImagePullOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	return r.Wait(ctx)
}
