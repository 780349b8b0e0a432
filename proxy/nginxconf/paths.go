package nginxconf

import "strings"

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
