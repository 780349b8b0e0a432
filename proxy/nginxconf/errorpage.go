package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/variable"
)

// errorPage is one code of an error_page (ngx_http_err_page_t).
type errorPage struct {
	status int
	// overwrite is the code of "=code", 0 for "=", -1 without.
	overwrite int
	uri       variable.Template
	// args is what follows the "?" of a path without variables.
	args string
}

// errorPage reads one error_page (ngx_http_core_error_page).
func (in *interpreter) errorPage(d *Directive) []errorPage {
	n := len(d.Args)
	if n < 2 {
		return nil
	}
	p := errorPage{overwrite: -1}
	codes := n - 1
	if code, ok := strings.CutPrefix(d.Arg(n-2), "="); ok {
		if codes--; codes > 0 {
			p.overwrite = 0
		}
		if code != "" {
			p.overwrite = int(number(code))
		}
		if codes == 0 || p.overwrite < 0 {
			in.out.add(d.ArgPos(n-2), missingSemicolon(d), "invalid value \"%s\"", d.Arg(n-2))
			return nil
		}
	}
	text := d.Arg(n - 1)
	t, ok := in.template(d, n-1, text)
	if !ok {
		return nil
	}
	if path, args, has := strings.Cut(text, "?"); has && t.Constant() && strings.HasPrefix(text, "/") {
		p.args = args
		t, _ = variable.Compile(path)
	}
	p.uri = t
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "@") {
		in.decides(d, n-1, t.Names())
	}
	out := make([]errorPage, 0, codes)
	for i := range codes {
		code := number(d.Arg(i))
		switch {
		case code < 0 || code == 499:
			in.out.add(d.ArgPos(i), missingSemicolon(d), "invalid value \"%s\"", d.Arg(i))
			return nil
		case code < 300 || code > 599:
			in.out.add(d.ArgPos(i), "", "value \"%s\" must be between 300 and 599", d.Arg(i))
			return nil
		}
		p.status = int(code)
		one := p
		if one.overwrite < 0 && hiddenStatus(p.status) && (p.status != 494 || in.cfg.Version.Hides494()) {
			one.overwrite = 400
		}
		out = append(out, one)
	}
	return out
}

// hiddenStatus are nginx's codes that a client sees as 400.
func hiddenStatus(status int) bool { return status >= 494 && status <= 497 }
