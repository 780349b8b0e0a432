package nginxconf

import (
	"slices"
	"strings"

	"github.com/nolive/nolive/proxy/variable"
)

// responseRules is what one level says about the header lines of a backend's
// response on their way to the client; nil is "nothing, inherit", and an empty
// list is off.
type responseRules struct {
	redirects, cookieDomains, cookiePaths *[]replacement
	cookieFlags                           *[]cookieFlags
	// hide and show are proxy_hide_header and proxy_pass_header; a level's own list
	// takes the place of the one outside of it.
	hide, show []string
	// ignored are the words of proxy_ignore_headers in lower case.
	ignored map[string]bool
	// hidden are the names that the client doesn't get, once all is inherited.
	hidden []string
	// asks is true when a value depends on the request.
	asks bool
}

// hiddenHeaders are those of a backend that the client doesn't get
// (ngx_http_proxy_hide_headers).
var hiddenHeaders = []string{"Date", "Server", "X-Pad", "X-Accel-Expires", "X-Accel-Redirect", "X-Accel-Limit-Rate", "X-Accel-Buffering", "X-Accel-Charset"}

// plainResponses are the rules of a pass that was made by hand.
var plainResponses = responseRules{hidden: hiddenHeaders}

// over fills what the level leaves open from the level outside of it.
func (r responseRules) over(outer responseRules) responseRules {
	inherit(&r.redirects, outer.redirects)
	inherit(&r.cookieDomains, outer.cookieDomains)
	inherit(&r.cookiePaths, outer.cookiePaths)
	inherit(&r.cookieFlags, outer.cookieFlags)
	if r.hide == nil {
		r.hide = outer.hide
	}
	if r.show == nil {
		r.show = outer.show
	}
	if r.ignored == nil {
		r.ignored = outer.ignored
	}
	return r
}

// done is the rules for a pass (ngx_http_upstream_hide_headers_hash).
func (r responseRules) done() *responseRules {
	r.hidden = nil
	for _, n := range append(append([]string(nil), hiddenHeaders...), r.hide...) {
		if !hasName(r.show, n) {
			r.hidden = append(r.hidden, n)
		}
	}
	for _, list := range []*[]replacement{r.redirects, r.cookieDomains, r.cookiePaths} {
		if list == nil {
			continue
		}
		for _, one := range *list {
			r.asks = r.asks || !one.from.Constant() || !one.to.Constant()
		}
	}
	if r.cookieFlags != nil {
		for _, one := range *r.cookieFlags {
			r.asks = r.asks || !one.name.Constant() || slices.ContainsFunc(one.flags, func(t variable.Template) bool { return !t.Constant() })
		}
	}
	return &r
}

func hasName(list []string, name string) bool {
	for _, n := range list {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// responseRules reads one directive; before are those of its level in front of it.
// False for a directive of another kind.
func (in *interpreter) responseRules(d *Directive, before []*Directive, r *responseRules) bool {
	switch d.Name.Text {
	case "proxy_redirect":
		in.redirects(d, before, r)
	case "proxy_cookie_domain":
		in.cookieRule(d, &r.cookieDomains)
	case "proxy_cookie_path":
		in.cookieRule(d, &r.cookiePaths)
	case "proxy_cookie_flags":
		if onlyOff(in, d, &r.cookieFlags) {
			break
		}
		if c, ok := in.cookieFlags(d); ok {
			add(&r.cookieFlags, c)
		}
	case "proxy_hide_header":
		r.hide = append(r.hide, d.Arg(0))
	case "proxy_pass_header":
		r.show = append(r.show, d.Arg(0))
	case "proxy_ignore_headers":
		in.ignoredHeaders(d, r)
	default:
		return false
	}
	return true
}

func add[T any](list **[]T, one T) {
	all := []T{one}
	if *list != nil {
		all = append(**list, one)
	}
	*list = &all
}

// onlyOff reads a directive with one argument, which can only be off, and says
// whether there is nothing more to read: it stands alone at its level.
func onlyOff[T any](in *interpreter, d *Directive, list **[]T) bool {
	duplicate := *list != nil && (len(**list) == 0 || len(d.Args) == 1 && d.Arg(0) == "off")
	switch {
	case duplicate:
		in.out.add(d.Pos(), "", "\"%s\" directive is duplicate", d.Name.Text)
	case len(d.Args) > 1:
		return false
	case d.Arg(0) == "off":
		*list = &[]T{}
	default:
		in.out.add(d.ArgPos(0), missingSemicolon(d), "invalid parameter \"%s\"", d.Arg(0))
	}
	return true
}

func (in *interpreter) cookieRule(d *Directive, list **[]replacement) {
	if onlyOff(in, d, list) {
		return
	}
	if rule, ok := in.replacement(d); ok {
		add(list, rule)
	}
}

// redirects reads one proxy_redirect (ngx_http_proxy_redirect).
func (in *interpreter) redirects(d *Directive, before []*Directive, r *responseRules) {
	isDefault := len(d.Args) == 1 && d.Arg(0) == "default"
	if !isDefault && onlyOff(in, d, &r.redirects) {
		return
	}
	if !isDefault {
		if rule, ok := in.replacement(d); ok {
			add(&r.redirects, rule)
		}
		return
	}
	if r.redirects != nil && len(*r.redirects) == 0 {
		in.out.add(d.Pos(), "", "\"%s\" directive is duplicate", d.Name.Text)
		return
	}
	var pass *Directive
	for _, b := range before {
		if b.Name.Text == "proxy_pass" && b.Block == nil {
			pass = b
		}
	}
	switch {
	case pass == nil:
		in.out.add(d.Pos(), "", "\"proxy_redirect default\" should be placed after the \"proxy_pass\" directive")
	case strings.Contains(pass.Arg(0), "$"):
		in.out.add(d.Pos(), "", "\"proxy_redirect default\" cannot be used with \"proxy_pass\" directive with variables")
	default:
		add(&r.redirects, replacement{pass: pass})
	}
}

// at makes the defaults those of a location: without any proxy_redirect the address
// of its proxy_pass gives way to the location in a backend's redirects. Locations
// inside of it inherit that, whatever they pass to (ngx_http_proxy_merge_loc_conf).
func (r *responseRules) at(location string, pass *Directive) {
	if r.redirects == nil && pass != nil && !strings.Contains(pass.Arg(0), "$") {
		add(&r.redirects, replacement{pass: pass})
	}
	if r.redirects == nil {
		return
	}
	for i := range *r.redirects {
		one := &(*r.redirects)[i]
		if one.pass == nil {
			continue
		}
		url := one.pass.Arg(0)
		if l, ok := passLiteral("proxy_pass", url); ok && l.uri != "" {
			*one = replacement{from: variable.Literal(url), to: variable.Literal(location)}
		} else {
			*one = replacement{from: variable.Literal(url + "/"), to: variable.Literal("/")}
		}
	}
}

// ignorable are the words of proxy_ignore_headers
// (ngx_http_upstream_ignore_headers_masks).
var ignorable = []string{"X-Accel-Redirect", "X-Accel-Expires", "X-Accel-Limit-Rate", "X-Accel-Buffering", "X-Accel-Charset", "Expires", "Cache-Control", "Set-Cookie", "Vary"}

func (in *interpreter) ignoredHeaders(d *Directive, r *responseRules) {
	if r.ignored == nil {
		r.ignored = map[string]bool{}
	}
	for i, a := range d.Args {
		if !hasName(ignorable, a.Text) {
			in.out.add(d.ArgPos(i), suggest(a.Text, ignorable), "invalid value \"%s\"", a.Text)
			return
		}
		r.ignored[strings.ToLower(a.Text)] = true
	}
}

// rules are those of the pass.
func (p *Pass) rules() *responseRules {
	if p.responses == nil {
		return &plainResponses
	}
	return p.responses
}

// Hides says whether the client doesn't get a header of a backend
// (proxy_hide_header, proxy_pass_header).
func (p *Pass) Hides(name []byte) bool {
	for _, n := range p.rules().hidden {
		if len(n) == len(name) && strings.EqualFold(n, string(name)) {
			return true
		}
	}
	return false
}

// Ignores says whether a header of a backend means nothing to the proxy
// (proxy_ignore_headers); name is in lower case.
func (p *Pass) Ignores(name string) bool { return p.rules().ignored[name] }

// Asks says whether what the client gets of a backend's header depends on what it
// asked for.
func (p *Pass) Asks() bool { return p.rules().asks }

// Location is a backend's Location as the client gets it, and whether
// proxy_redirect changed it.
func (p *Pass) Location(w *Way, value string) (string, bool) {
	return replaced(p.rules().redirects, w, value, 0)
}

// Refresh is a backend's Refresh as the client gets it: proxy_redirect changes what
// follows "url=" (ngx_http_upstream_rewrite_refresh).
func (p *Pass) Refresh(w *Way, value string) string {
	const mark = "url="
	i := strings.Index(strings.ToLower(value), mark)
	if i < 0 {
		return value
	}
	v, _ := replaced(p.rules().redirects, w, value, i+len(mark))
	return v
}

// ChangesCookies says whether there is any rule for a Set-Cookie.
func (p *Pass) ChangesCookies() bool {
	r := p.rules()
	return some(r.cookieDomains) || some(r.cookiePaths) || some(r.cookieFlags)
}

// SetCookie is a backend's Set-Cookie as the client gets it.
func (p *Pass) SetCookie(w *Way, value string) string { return p.rules().cookie(w, value) }
