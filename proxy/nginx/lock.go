package nginx

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Lock is a file that is locked as long as its owner lives and no longer, however it
// ended. Children don't hold it.
type Lock struct {
	file *os.File
	name string
}

// Name is the file's.
func (l *Lock) Name() string { return l.name }

// NewLock makes the file; once it is there it is locked.
func NewLock(name string) (*Lock, error) {
	f, err := os.CreateTemp(filepath.Dir(name), "lock-")
	if err != nil {
		return nil, err
	}
	err = flock(f)
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, err
	}
	return &Lock{f, name}, nil
}

// Close gives the lock up; the file stays.
func (l *Lock) Close() error { return l.file.Close() }

// Abandoned says whether the owner of a lock is gone. One without a file isn't known
// to be, nor is another user's, which we may not even open: theirs to look after.
func Abandoned(name string) bool {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return flock(f) == nil
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
