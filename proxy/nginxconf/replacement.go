package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/variable"
)

// replacement is one rule of proxy_redirect, proxy_cookie_domain or
// proxy_cookie_path (ngx_http_proxy_rewrite_t).
type replacement struct {
	// from is what a value begins with, or for a domain what it is; regex is
	// matched instead where there is one.
	from   variable.Template
	regex  *Regex
	domain bool
	to     variable.Template
	// pass is the proxy_pass of a default that waits for its location.
	pass *Directive
}

// replacement reads a rule with two arguments. The rules differ in what is a
// regular expression and in whose case matters.
func (in *interpreter) replacement(d *Directive) (r replacement, ok bool) {
	from, to := d.Arg(0), d.Arg(1)
	pattern, regex := strings.CutPrefix(from, "~")
	caseless := false
	switch d.Name.Text {
	case "proxy_cookie_domain":
		r.domain, caseless = true, true
		if !regex {
			from, to = strings.TrimPrefix(from, "."), strings.TrimPrefix(to, ".")
		}
	default:
		if p, has := strings.CutPrefix(pattern, "*"); regex && has {
			pattern, caseless = p, true
		}
	}
	if regex {
		if r.regex = in.regex(d, 0, pattern, caseless); r.regex == nil {
			return r, false
		}
		in.makes(r.regex.names)
	} else if r.from, ok = in.template(d, 0, from); !ok {
		return r, false
	}
	r.to, ok = in.template(d, 1, to)
	return r, ok
}

// apply replaces in what follows the first bytes of a value; false where the rule
// isn't for it (ngx_http_proxy_rewrite_complex_handler, _regex_handler and
// _domain_handler).
func (r *replacement) apply(w *Way, value string, skip int) (string, bool) {
	rest := value[skip:]
	matched := len(rest)
	switch {
	case r.regex != nil:
		groups := r.regex.match(rest)
		if groups == nil {
			return value, false
		}
		w.matched(r.regex, groups)
	case r.domain:
		if strings.HasPrefix(rest, ".") {
			skip++
			rest = rest[1:]
			matched--
		}
		if !strings.EqualFold(rest, r.from.Value(w.facts)) {
			return value, false
		}
	default:
		from := r.from.Value(w.facts)
		if !strings.HasPrefix(rest, from) {
			return value, false
		}
		matched = len(from)
	}
	return value[:skip] + r.to.Value(w.facts) + value[skip+matched:], true
}

// replaced applies the first rule that is for a value.
func replaced(rules *[]replacement, w *Way, value string, skip int) (string, bool) {
	if rules != nil {
		for i := range *rules {
			if v, ok := (*rules)[i].apply(w, value, skip); ok {
				return v, true
			}
		}
	}
	return value, false
}
