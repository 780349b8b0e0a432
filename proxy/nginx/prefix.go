package nginx

import (
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
)

// prefix is nginx's own folder.
type prefix struct {
	dir string
	own bool // ours to remove
}

// newPrefix makes the folder and empties it of what an earlier run left there.
func newPrefix(dir string) (prefix, error) {
	p := prefix{dir: dir}
	var err error
	if dir == "" {
		p.own = true
		if p.dir, err = os.MkdirTemp("", "nolive-nginx-"); err != nil {
			return p, &PrefixError{os.TempDir(), err}
		}
	} else if p.dir, err = filepath.Abs(dir); err != nil {
		return p, &PrefixError{dir, err}
	}
	if err := p.prepare(); err != nil {
		p.remove()
		return p, &PrefixError{p.dir, err}
	}
	return p, nil
}

func (p prefix) prepare() error {
	if err := os.MkdirAll(p.file(tempDir), 0o755); err != nil {
		return err
	}
	for _, f := range []string{confFile, accessFile, errorFile, stderrFile, pidFile} {
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
	return os.RemoveAll(p.dir)
}
