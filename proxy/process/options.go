package process

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
)

// Options are the parameters of the command line, named as nginx's.
type Options struct {
	// Conf is the configuration file (-c); relative to Prefix. "" is nginx.conf.
	Conf string
	// Prefix is where relative paths begin (-p); "" is the working directory.
	Prefix string
	// Directives are global directives in front of the file's (-g).
	Directives string
	// ErrorLog is where lines go before the configuration says where (-e); "" and
	// "stderr" are standard error.
	ErrorLog string
	// Test only tests the configuration (-t), Dump prints it then (-T), and Quiet
	// says nothing when it is good (-q).
	Test, Dump, Quiet bool
	// Signal is sent to the running process (-s): stop, quit, reopen or reload.
	Signal string
	// Version is the nginx whose rules hold, and what $nginx_version says; zero is
	// the newest stable one.
	Version upstream.Version
}

// place is where the configuration is: paths that are whole.
type place struct {
	prefix string // ends with "/"
	file   string
	folder string // of file, for includes
}

// place makes the paths whole (ngx_process_options).
func (o *Options) place() (place, error) {
	prefix := o.Prefix
	if prefix == "" {
		prefix = "."
	}
	prefix, err := filepath.Abs(prefix)
	if err != nil {
		return place{}, err
	}
	p := place{prefix: strings.TrimSuffix(prefix, "/") + "/"}
	conf := o.Conf
	if conf == "" {
		conf = "nginx.conf"
	}
	p.file = p.full(conf)
	p.folder = filepath.Dir(p.file)
	return p, nil
}

// full is a path as the configuration writes it, made whole
// (ngx_conf_full_name).
func (p place) full(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return p.prefix + name
}

// system is the whole file system, for includes.
var system = os.DirFS("/")
