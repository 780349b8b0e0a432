package container

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/moby/client"

	"github.com/nolive/nolive/proxy/nginx"
)

// The labels of our containers: whose they are, and how to tell whether the
// owner still lives.
const (
	labelRun     = "nolive.run"
	labelLock    = "nolive.lock"
	labelMachine = "nolive.machine"
)

func (o *owner) labels() map[string]string {
	return map[string]string{labelRun: o.id, labelLock: o.lock.Name(), labelMachine: machine()}
}

// machine names this machine since its start. In a container of ours the host
// name is another one, and so are the files that the lock's name may mean.
func machine() string {
	name, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(name + " " + string(boot))
}

// sweep removes the containers and folders of owners that were killed. What
// can't be removed is left for the next time: it is in nobody's way.
func (e *engine) sweep(ctx context.Context) {
	list, err := e.client.ContainerList(ctx, client.ContainerListOptions{
		All: true, Filters: make(client.Filters).Add("label", labelRun),
	})
	if err == nil {
		for _, c := range list.Items {
			if c.Labels[labelMachine] == machine() && gone(c.Labels[labelLock]) {
				_, _ = e.client.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			}
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, d := range dirs {
		if nginx.Abandoned(filepath.Join(d, lockFile)) {
			_ = os.RemoveAll(d)
		}
	}
}

// gone says whether the owner of a container is: its lock is free, or its folder was
// removed, as it does at its end.
func gone(lock string) bool {
	_, err := os.Stat(lock)
	return errors.Is(err, os.ErrNotExist) || nginx.Abandoned(lock)
}
