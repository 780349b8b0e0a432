package nginx

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
)

// The files in nginx's prefix. nginx takes relative paths from its prefix, so
// no folder's name is ever quoted into a configuration.
const (
	confFile   = "nolive.conf"
	accessFile = "nolive-access.log"
	errorFile  = "nolive-error.log"
	stderrFile = "nolive-stderr.log"
	pidFile    = "nolive.pid"
	tempDir    = "nolive-temp"
	lockFile   = "nolive.lock"
)

// folderPrefix begins the names of folders of our own.
const folderPrefix = "nolive-nginx-"

// prefix is nginx's own folder.
type prefix struct {
	dir string
	own bool // ours to remove
	// keep is the caller's folder, where it isn't the prefix itself.
	keep string
	// lock says that we live, to those who look for what killed runs left.
	lock *Lock
}

// newPrefix makes the folder and empties it of what an earlier run left there.
// Where the prefix has to lie within another folder, what is worth keeping is
// copied to the caller's in the end.
func newPrefix(dir, within string) (prefix, error) {
	p := prefix{dir: dir}
	var err error
	if dir != "" {
		if p.dir, err = filepath.Abs(dir); err != nil {
			return p, &PrefixError{dir, err}
		}
	}
	if dir != "" && within != "" {
		p.keep = p.dir
		if err := os.MkdirAll(p.keep, 0o755); err != nil {
			return p, &PrefixError{p.keep, err}
		}
	}
	if dir == "" || within != "" {
		p.own = true
		if p.dir, err = os.MkdirTemp(within, folderPrefix); err != nil {
			return p, &PrefixError{cmp.Or(within, os.TempDir()), err}
		}
	}
	err = p.prepare()
	if err == nil && p.own && within == "" {
		sweep()
		p.lock, err = NewLock(p.file(lockFile))
	}
	if err != nil {
		p.remove()
		return p, &PrefixError{p.dir, err}
	}
	return p, nil
}

// sweep removes the folders of runs that were killed. What can't be removed is left
// for the next time: it is in nobody's way.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, d := range dirs {
		if Abandoned(filepath.Join(d, lockFile)) {
			_ = os.RemoveAll(d)
		}
	}
}

func (p prefix) prepare() error {
	if err := os.MkdirAll(p.file(tempDir), 0o755); err != nil {
		return err
	}
	for _, f := range []string{confFile, accessFile, streamFile, errorFile, stderrFile, pidFile} {
		if err := os.Remove(p.file(f)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	// Made here so that a folder that can't be written to is an error now.
	f, err := os.Create(p.file(stderrFile))
	if err != nil {
		return err
	}
	return f.Close()
}

func (p prefix) file(name string) string { return filepath.Join(p.dir, name) }

func (p prefix) remove() error {
	if !p.own {
		return nil
	}
	var err error
	if p.keep != "" {
		err = p.save()
	}
	if p.lock != nil {
		defer p.lock.Close()
	}
	return errors.Join(err, os.RemoveAll(p.dir))
}

// room says whether a page more can be written, as nginx would have needed to:
// it drops the lines for which there is no room, and those that tell of it.
func (p prefix) room() error {
	f := p.file("nolive-room")
	err := os.WriteFile(f, make([]byte, 16<<10), 0o600)
	_ = os.Remove(f)
	return err
}

// save copies the configuration and the logs to the caller's folder.
func (p prefix) save() error {
	for _, f := range []string{confFile, accessFile, streamFile, errorFile, stderrFile} {
		text, err := os.ReadFile(p.file(f))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(p.keep, f), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
