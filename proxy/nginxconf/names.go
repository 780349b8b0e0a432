package nginxconf

import (
	"slices"
	"strings"

	"github.com/nolive/nolive/proxy/variable"
)

// names are the variables of a configuration: who makes them, who reads them.
type names struct {
	// made are those that the configuration makes, with what their value is made
	// of: nil for what no template says.
	made map[string][]variable.Template
	// read are all uses, deciding those that decide who answers.
	read, deciding []reading
	// keeping are the Connection headers that backends with kept-alive connections
	// get, where they are made of variables.
	keeping []keeping
	// elsewhere are those that a block makes that isn't modelled, and its name.
	elsewhere map[string]string
}

// reading is a place that reads a variable.
type reading struct {
	name string
	d    *Directive
	arg  int
}

// keeping is a header that decides at a level whether a connection is kept.
type keeping struct {
	header
	at *level
}

// sets notes that a variable may get a value.
func (in *interpreter) sets(name string, t variable.Template) {
	in.made[name] = append(in.made[name], t)
}

// makes notes variables whose value no template says: named groups, and what
// other modules make.
func (in *interpreter) makes(list []string) {
	for _, n := range list {
		if n = strings.ToLower(n); n != "" {
			in.made[n] = append(in.made[n], variable.Template{})
		}
	}
}

// uses notes that an argument reads variables.
func (in *interpreter) uses(d *Directive, i int, list []string) {
	for _, n := range list {
		in.read = append(in.read, reading{n, d, i})
	}
}

// decides notes that variables which the directive uses decide who answers: the
// simulator has to know them.
func (in *interpreter) decides(d *Directive, i int, list []string) {
	for _, n := range list {
		in.deciding = append(in.deciding, reading{n, d, i})
	}
}

// checkNames complains about variables that nobody makes, as nginx does at the
// end of its configuration, and notes those that only nginx can know.
func (in *interpreter) checkNames() {
	for _, u := range in.read {
		known := variable.Known
		if in.inStream {
			known = variable.KnownInStream
		}
		if in.made[u.name] == nil && !known(u.name) && !in.thirdParty {
			in.out.add(u.d.ArgPos(u.arg), "", "unknown \"%s\" variable", u.name)
		}
	}
	if in.cfg.askers == nil {
		in.cfg.askers = map[string][]*level{}
	}
	for _, k := range in.keeping {
		for _, n := range k.value.Names() {
			if why := in.unknowable(n, nil); why != "" {
				in.noteAt(k.at, k.d, k.d.ArgPos(1), why+", and whether the connection is kept depends on it")
			}
		}
	}
	for _, u := range in.deciding {
		for _, n := range in.madeOf(u.name, nil) {
			in.cfg.askers[n] = append(in.cfg.askers[n], in.levelOf(u.d))
			switch n {
			case "remote_addr", "binary_remote_addr", "realip_remote_addr":
				in.cfg.byAddress = in.cfg.byAddress || u.d.Name.Text != "hash"
			}
		}
		if why := in.unknowable(u.name, nil); why != "" {
			in.nginxOnlyArg(u.d, u.arg, why)
		}
	}
}

// unknowable says why the value of a variable isn't known to every engine, "" if
// it is.
func (in *interpreter) unknowable(name string, above []string) string {
	if slices.Contains(above, name) {
		return ""
	}
	if block := in.elsewhere[name]; block != "" {
		return "$" + name + " is made by " + block
	}
	if ts, ok := in.made[name]; ok && !special(name) {
		for _, t := range ts {
			for _, n := range t.Names() {
				if why := in.unknowable(n, append(above, name)); why != "" {
					return why
				}
			}
		}
		return ""
	}
	if why := unknowable(name); why != "" {
		return "$" + name + " " + why
	}
	return ""
}

// madeOf appends to had a variable and those that its value may be made of.
func (in *interpreter) madeOf(name string, had []string) []string {
	if slices.Contains(had, name) {
		return had
	}
	had = append(had, name)
	for _, t := range in.made[name] {
		for _, n := range t.Names() {
			had = in.madeOf(n, had)
		}
	}
	return had
}

// special are nginx's own variables that may be set.
func special(name string) bool { return name == "args" || name == "limit_rate" }

// fixed says whether nginx refuses to set a variable: those that it has under
// this very name (ngx_http_add_variable).
func fixed(name string) bool {
	switch name {
	case "http_host", "http_user_agent", "http_referer", "http_via", "http_x_forwarded_for", "http_cookie":
		return true
	}
	if special(name) || !variable.Known(name) {
		return false
	}
	for _, p := range []string{"http_", "sent_http_", "upstream_http_", "upstream_cookie_", "upstream_trailer_", "sent_trailer_", "cookie_", "arg_"} {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	return true
}
