package nginxconf

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// FileKind is what nginx makes of a file that a directive names.
type FileKind uint8

// The kinds of files.
const (
	// NoFile: the directive names none.
	NoFile FileKind = iota
	// Certificate and Key go together.
	Certificate
	Key
	// Authority is certificates that others are checked by.
	Authority
	// Optional is one without which nginx serves the same: parameters of a key
	// exchange, revoked certificates, the password of a key.
	Optional
	// Users are names and passwords.
	Users
)

// FileUse is a directive with a file that nginx reads.
type FileUse struct {
	Pos       Pos
	Directive string
	// Path is as written; it may have variables.
	Path string
	Kind FileKind
	// Whose tells the certificates that nginx shows its clients, "", from those
	// that modules show backends: "proxy_", "grpc_", "uwsgi_".
	Whose string
}

// FileName is a file as a directive names it.
type FileName struct{ Directive, Path string }

// FilesRead are the files that the configuration makes nginx read, but for includes,
// in order. Each use counts.
func (t *Tree) FilesRead() []FileUse {
	var out []FileUse
	var walk func([]*Directive)
	walk = func(ds []*Directive) {
		for _, d := range ds {
			kind, whose := fileKind(d)
			if kind != NoFile {
				out = append(out, FileUse{d.ArgPos(0), d.Name.Text, d.Arg(0), kind, whose})
			}
			walk(d.Children())
		}
	}
	walk(t.Top())
	return out
}

// fileKind says what file a directive names.
func fileKind(d *Directive) (kind FileKind, whose string) {
	if d.Block != nil || d.Broken || len(d.Args) != 1 || d.Arg(0) == "" || strings.HasPrefix(d.Arg(0), "data:") || strings.HasPrefix(d.Arg(0), "engine:") {
		return NoFile, ""
	}
	name := d.Name.Text
	for _, p := range []string{"proxy_", "grpc_", "uwsgi_"} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			name, whose = rest, p
			break
		}
	}
	switch name {
	case "ssl_certificate":
		return Certificate, whose
	case "ssl_certificate_key":
		return Key, whose
	case "ssl_trusted_certificate", "ssl_client_certificate":
		return Authority, whose
	case "ssl_dhparam", "ssl_crl", "ssl_password_file", "ssl_stapling_file", "ssl_session_ticket_key":
		return Optional, whose
	case "auth_basic_user_file":
		return Users, whose
	}
	return NoFile, ""
}

// Beside finds a file, or the files of a pattern, that a configuration names by a
// path of the machine it was written for, among the files beside it: the path as it
// is, or, of an absolute one, as much of its end as is there, so that a copy of
// /etc/nginx serves for "/etc/nginx/conf.d/*.conf". A pattern keeps a folder.
func Beside(files fs.FS, name string) []string {
	if files == nil {
		return nil
	}
	rel := path.Clean(strings.TrimLeft(name, "/"))
	pattern := strings.ContainsAny(name, "*?[")
	for {
		if pattern {
			if found := glob(files, rel); len(found) > 0 {
				return found
			}
		} else if st, err := fs.Stat(files, rel); err == nil && !st.IsDir() {
			return []string{rel}
		}
		_, rest, more := strings.Cut(rel, "/")
		if !more || !strings.HasPrefix(name, "/") || pattern && !strings.Contains(rest, "/") {
			return nil
		}
		rel = rest
	}
}

// reads returns what a directive that names a file is written with; "" leaves it
// out, and ok is false where it stays as it is.
func (e *emitter) reads(d *Directive) (to string, ok bool) {
	kind, _ := fileKind(d)
	if kind == NoFile {
		return "", false
	}
	to, ok = e.opt.Files[FileName{d.Name.Text, d.Arg(0)}]
	return to, ok
}

// StandsIn says whether a file that nginx can't start without is missing and made
// up instead, given those that there are, by path as written. Of certificates and
// keys all are, or none: they have to fit.
func (t *Tree) StandsIn(have map[string][]byte) []FileUse {
	uses := t.FilesRead()
	missing := func(u FileUse) bool { _, ok := have[u.Path]; return !ok }
	var out []FileUse
	for _, u := range uses {
		switch u.Kind {
		case Certificate, Key:
			if slices.ContainsFunc(uses, func(o FileUse) bool {
				return o.Whose == u.Whose && (o.Kind == Certificate || o.Kind == Key) && missing(o)
			}) {
				out = append(out, u)
			}
		case Authority, Optional:
			if missing(u) {
				out = append(out, u)
			}
		}
	}
	return out
}
