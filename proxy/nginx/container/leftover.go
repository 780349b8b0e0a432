package container

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/moby/moby/client"
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
			if c.Labels[labelMachine] == machine() && abandoned(c.Labels[labelLock]) {
				_, _ = e.client.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			}
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, d := range dirs {
		if abandoned(filepath.Join(d, lockFile)) {
			_ = os.RemoveAll(d)
		}
	}
}

// abandoned says whether nobody holds a lock any more. Another user's, which we
// may not even open, is theirs to look after.
func abandoned(lock string) bool {
	f, err := os.OpenFile(lock, os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	return tryLock(f) == nil
}

// tryLock takes a lock that ends with the process, and is not handed down.
func tryLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
