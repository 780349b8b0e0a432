package nginxconf

import (
	"path"
	"strings"
)

// streamModule is the file of nginx's stream module, where it is a dynamic one.
const streamModule = "ngx_stream_module.so"

// loads says whether a load_module loads the module of that file.
func (d *Directive) loads(file string) bool { return path.Base(d.Arg(0)) == file }

// Loads says whether the configuration itself loads the module of that file.
func (t *Tree) Loads(file string) bool {
	for _, d := range t.Top() {
		if d.Name.Text == "load_module" && d.loads(file) {
			return true
		}
	}
	return false
}

// ownedByHarness are main-level directives that whoever starts nginx decides
// about; the user's are left out.
func ownedByHarness(d *Directive) bool {
	switch d.Name.Text {
	case "user", "pid", "lock_file", "daemon", "master_process", "working_directory":
		return true
	}
	return false
}

// path returns the first argument of a directive that makes nginx write
// files, moved into the harness's folder; false when it may stay.
func (e *emitter) path(d *Directive) (string, bool) {
	name, p := d.Name.Text, d.Arg(0)
	switch {
	case name == "load_module":
		if e.opt.Modules == "" || strings.HasPrefix(p, "/") {
			return "", false
		}
		return e.opt.Modules + "/" + path.Base(p), true
	case name == "access_log", name == "error_log":
		if p == "stderr" || p == "off" && name == "access_log" || strings.HasPrefix(p, "memory:") || p == "/dev/null" {
			return "", false
		}
	case strings.HasSuffix(name, "_temp_path"), strings.HasSuffix(name, "_cache_path"), name == "google_perftools_profiles":
	case name == "proxy_store", name == "fastcgi_store", name == "uwsgi_store", name == "scgi_store":
		return "off", p != "off"
	default:
		return "", false
	}
	flat := strings.NewReplacer("/", "_", ":", "_", ",", "_", "=", "_").Replace(strings.TrimLeft(p, "/"))
	return strings.TrimSuffix(e.opt.Dir, "/") + "/" + flat, true
}

// root is where a root or an alias leads instead: to the error pages in the location
// of one, else to where nothing is. false where it may stay.
func (e *emitter) root(d *Directive, p *place) (string, bool) {
	name := d.Name.Text
	switch {
	case name != "root" && name != "alias":
		return "", false
	case p.page != "" && name == "root":
		return e.opt.PagesDir, true
	case p.page != "":
		return e.opt.PagesDir + p.page, true
	}
	return e.opt.Nowhere, e.opt.Nowhere != "" && strings.HasPrefix(d.Arg(0), "/")
}

// rooted says whether a location says by itself where its files are.
func rooted(d *Directive) bool {
	for _, c := range d.Children() {
		if c.Name.Text == "root" || c.Name.Text == "alias" {
			return true
		}
	}
	return false
}
