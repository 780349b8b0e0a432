package nginxconf

import "strings"

// own is a variable that the configuration made.
type own struct{ name, value string }

// lookUp is a variable that the configuration made, the newest first; then what
// a map makes of it.
func (w *Way) lookUp(name string) (string, bool) {
	for i := len(w.own) - 1; i >= 0; i-- {
		if w.own[i].name == name {
			return w.own[i].value, true
		}
	}
	if m := w.cfg.maps[name]; m != nil {
		v := m.value(w)
		if !m.volatile {
			w.keep(name, v) // it stays, whatever becomes of what it was made of
		}
		return v, true
	}
	// One that a set makes elsewhere is there, and empty; what a regex would have
	// captured isn't (ngx_http_rewrite_var, ngx_http_variable_not_found).
	return "", w.cfg.set[name]
}

// keep gives a variable a value.
func (w *Way) keep(name, value string) {
	if name == "args" {
		w.rq.Args, w.unparsed = value, false
		return
	}
	for i := range w.own {
		if w.own[i].name == name {
			w.own[i].value = value
			return
		}
	}
	w.own = append(w.own, own{name, value})
}

// matched takes in the groups of a regex (ngx_http_regex_exec).
func (w *Way) matched(x *Regex, groups []string) {
	w.rq.Captures = groups[1:]
	for i, n := range x.names {
		if n != "" {
			w.keep(strings.ToLower(n), groups[i])
		}
	}
}
