package nginx

import (
	"encoding/pem"
	"os"
	"path"
	"strconv"

	"github.com/nolive/nolive/backends/certs"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// The folders in the prefix that have what the configuration reads: certificates and
// their like, and error pages. nowhere isn't there.
const (
	filesDir = "nolive-files"
	pagesDir = "nolive-pages"
	nowhere  = "nolive-nowhere"
)

// files puts the files that the configuration reads into the prefix, so that nginx
// finds them wherever it runs, and says what each is called there. One that a run
// has no copy of is made up where nginx would not start without, or its directive
// is left out; nobody checks a certificate here.
func (p *Process) files() (map[nginxconf.FileName]string, error) {
	out := map[nginxconf.FileName]string{}
	tree := p.opts.Config.Tree
	uses := tree.FilesRead()
	if len(uses) == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(p.prefix.file(filesDir), 0o755); err != nil {
		return nil, &PrefixError{p.prefix.dir, err}
	}
	missing := map[nginxconf.FileUse]bool{}
	for _, u := range tree.StandsIn(p.opts.Files) {
		missing[u] = true
	}
	var made *standIn
	for i, u := range uses {
		name := nginxconf.FileName{Directive: u.Directive, Path: u.Path}
		if u.Path == certs.File {
			continue // ours, in its place
		}
		text, have := p.opts.Files[u.Path]
		if missing[u] {
			if u.Kind == nginxconf.Optional {
				out[name] = ""
				continue
			}
			if made == nil {
				var err error
				if made, err = newStandIn(); err != nil {
					return nil, err
				}
			}
			text, have = made.of(u.Kind, p.opts.CA), true
		}
		if !have {
			continue
		}
		to := path.Join(filesDir, strconv.Itoa(i)+"-"+path.Base(u.Path))
		if missing[u] {
			to = path.Join(filesDir, "stand-in-"+strconv.Itoa(i)+".pem")
		}
		if err := os.WriteFile(p.prefix.file(to), text, 0o600); err != nil {
			return nil, &PrefixError{p.prefix.dir, err}
		}
		out[name] = p.prefix.file(to)
	}
	return out, nil
}

// pages makes the error pages that would be files, and says where they are.
func (p *Process) pages() (string, error) {
	dir := p.prefix.file(pagesDir)
	for _, name := range p.opts.Config.Tree.Pages() {
		file := path.Join(dir, name)
		err := os.MkdirAll(path.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, []byte(nginxconf.StandInPage), 0o644)
		}
		if err != nil {
			return "", &PrefixError{p.prefix.dir, err}
		}
	}
	return dir, nil
}

// standIn is a certificate in memory, with its key.
type standIn struct{ certificate, key []byte }

func newStandIn() (*standIn, error) {
	authority, err := certs.NewAuthority()
	if err != nil {
		return nil, err
	}
	set, err := authority.Issue([]string{"nolive.invalid"})
	if err != nil {
		return nil, err
	}
	return &standIn{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: set.Good.Certificate}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: set.Good.Key}),
	}, nil
}

// of is the text that stands for a file of some kind. Those whom others are checked
// by trust the backends' authority, if there is one.
func (s *standIn) of(kind nginxconf.FileKind, ca []byte) []byte {
	switch {
	case kind == nginxconf.Key:
		return s.key
	case kind == nginxconf.Authority && ca != nil:
		return ca
	}
	return s.certificate
}
