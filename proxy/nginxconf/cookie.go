package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/variable"
)

// cookieFlags is one proxy_cookie_flags: what is set in the cookies of a name.
type cookieFlags struct {
	name  variable.Template
	regex *Regex
	flags []variable.Template
}

// cookieFlags reads a rule; its first argument is a name or a regular expression.
func (in *interpreter) cookieFlags(d *Directive) (c cookieFlags, ok bool) {
	if pattern, regex := strings.CutPrefix(d.Arg(0), "~"); regex {
		if c.regex = in.regex(d, 0, pattern, true); c.regex == nil {
			return c, false
		}
		in.makes(c.regex.names)
	} else if c.name, ok = in.template(d, 0, d.Arg(0)); !ok {
		return c, false
	}
	for i := 1; i < len(d.Args); i++ {
		t, ok := in.template(d, i, d.Arg(i))
		if !ok {
			return c, false
		}
		c.flags = append(c.flags, t)
	}
	return c, true
}

// cookie is the value of a Set-Cookie line, taken apart
// (ngx_http_proxy_parse_cookie).
type cookie []attribute

// attribute is one part between semicolons; the first is the cookie itself.
type attribute struct {
	name, value string
	// valued is true with a "=".
	valued bool
}

func parseCookie(s string) cookie {
	var c cookie
	for part := range strings.SplitSeq(s, ";") {
		name, value, valued := strings.Cut(strings.TrimLeft(part, " "), "=")
		c = append(c, attribute{strings.TrimRight(name, " "), strings.Trim(value, " "), valued})
	}
	return c
}

func (c cookie) String() string {
	var b strings.Builder
	for i, a := range c {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(a.name)
		if a.valued {
			b.WriteString("=" + a.value)
		}
	}
	return b.String()
}

// cookie is a Set-Cookie line of a backend as the client gets it
// (ngx_http_proxy_rewrite_cookie). One that no rule changes stays as it is, spaces
// too.
func (r *responseRules) cookie(w *Way, value string) string {
	c := parseCookie(value)
	if !c[0].valued {
		return value
	}
	changed := false
	for i := 1; i < len(c); i++ {
		a, rules := &c[i], r.cookiePaths
		switch {
		case !a.valued:
			continue
		case strings.EqualFold(a.name, "domain"):
			rules = r.cookieDomains
		case !strings.EqualFold(a.name, "path"):
			continue
		}
		if v, ok := replaced(rules, w, a.value, 0); ok {
			a.value, changed = v, true
		}
	}
	if some(r.cookieFlags) {
		if f := flagsFor(*r.cookieFlags, w, c[0].name); len(f) > 0 {
			c, changed = c.flagged(f), true
		}
	}
	if !changed {
		return value
	}
	return c.String()
}

func some[T any](list *[]T) bool { return list != nil && len(*list) > 0 }

// flagsFor are the flags, in lower case, of the first rule for a cookie's name;
// words that are none are passed over.
func flagsFor(rules []cookieFlags, w *Way, name string) map[string]bool {
	for i := range rules {
		r := &rules[i]
		if r.regex != nil {
			groups := r.regex.match(name)
			if groups == nil {
				continue
			}
			w.matched(r.regex, groups)
		} else if !strings.EqualFold(r.name.Value(w.facts), name) {
			continue
		}
		set := map[string]bool{}
		for _, t := range r.flags {
			switch f := strings.ToLower(t.Value(w.facts)); f {
			case "secure", "nosecure", "httponly", "nohttponly", "samesite=strict", "samesite=lax", "samesite=none", "nosamesite":
				set[f] = true
			}
		}
		return set
	}
	return nil
}

// flagged changes the flags (ngx_http_proxy_edit_cookie_flags). A flag that is
// there already satisfies the wish for it, so that a second one of its kind meets
// only what takes it away.
func (c cookie) flagged(want map[string]bool) cookie {
	out := c[:1:1]
	for _, a := range c[1:] {
		gone := false
		switch name := strings.ToLower(a.name); name {
		case "secure", "httponly":
			if want[name] {
				delete(want, name)
			} else {
				gone = want["no"+name]
			}
		case "samesite":
			wish := sameSite(want)
			switch {
			case wish != "":
				delete(want, "samesite="+strings.ToLower(wish))
				if !strings.EqualFold(a.value, wish) {
					a = attribute{"SameSite", wish, true}
				}
			default:
				gone = want["nosamesite"]
			}
		}
		if !gone {
			out = append(out, a)
		}
	}
	if want["secure"] {
		out = append(out, attribute{name: "Secure"})
	}
	if want["httponly"] {
		out = append(out, attribute{name: "HttpOnly"})
	}
	if wish := sameSite(want); wish != "" {
		out = append(out, attribute{"SameSite", wish, true})
	}
	return out
}

// sameSite is the strictest of the values that are wanted, "" for none.
func sameSite(want map[string]bool) string {
	for _, v := range []string{"Strict", "Lax", "None"} {
		if want["samesite="+strings.ToLower(v)] {
			return v
		}
	}
	return ""
}
