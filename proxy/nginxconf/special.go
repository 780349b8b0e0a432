package nginxconf

import "strings"

// Fail says what happens after an error that nginx itself comes to: 502 and 504
// of a request that was passed on in vain, 413 of a body that grew too long.
func (w *Way) Fail(status int) Step {
	if status != 413 {
		w.doing = afterwards
	}
	return w.special(status)
}

// Intercept says what takes the place of a backend's response, if anything does:
// with proxy_intercept_errors one that an error_page is for, also where error
// pages are no longer looked at, and then it is nginx's own page
// (ngx_http_upstream_intercept_errors).
func (w *Way) Intercept(p *Pass, status int) (Step, bool) {
	if status < 300 || !p.InterceptErrors {
		return Step{}, false
	}
	for _, e := range w.loc.sets().errorPages {
		if e.status == status {
			w.doing = afterwards
			return w.special(status), true
		}
	}
	return Step{}, false
}

// special is ngx_http_finalize_request and ngx_http_special_response_handler.
func (w *Way) special(status int) Step {
	switch status {
	case 444, 499, 408:
		w.closes = true
		return Step{Answer: Answer{Status: status, Silent: true}}
	case 400, 413, 414, 495, 496, 497, 500, 501:
		w.closes = true
	}
	w.status = status
	w.carried.contentType = ""
	s := w.loc.sets()
	if !w.erred && s.errorPages != nil && w.changes != 0 {
		if !*s.recursive {
			w.erred = true
		}
		for i := range s.errorPages {
			if s.errorPages[i].status == status {
				return w.page(&s.errorPages[i])
			}
		}
	}
	page := status
	if hiddenStatus(status) {
		w.status = 400
	}
	w.carried.page()
	return Step{Answer: Answer{Status: w.status, Page: page, Location: w.location}}
}

// page sends the request to an error page (ngx_http_send_error_page).
func (w *Way) page(p *errorPage) Step {
	if p.overwrite >= 0 {
		w.status = p.overwrite
	}
	w.rq.Status = w.status
	if !p.uri.Constant() {
		w.varied = true
	}
	uri := p.uri.Value(w.facts)
	switch {
	case strings.HasPrefix(uri, "/"):
		args := p.args
		if !p.uri.Constant() {
			uri, args, _ = strings.Cut(uri, "?")
		}
		w.asGet()
		return w.redirect(uri, args)
	case strings.HasPrefix(uri, "@"):
		return w.named(uri)
	}
	switch p.overwrite {
	case 301, 302, 303, 307:
	case 308:
		if !w.cfg.Version.Redirects308() {
			w.status = 302
		}
	default:
		w.status = 302
	}
	w.location = uri
	w.carried.page()
	return Step{Answer: Answer{Status: w.status, Page: w.status, Location: uri}}
}

// asGet is what an error page, or a backend, makes of the method when it has a path for
// the request.
func (w *Way) asGet() {
	if w.method != "HEAD" {
		w.method = "GET"
		w.rq.Method = "GET"
	}
}

// redirect sends the request to another path (ngx_http_internal_redirect): all
// but the first phase begins again, the server's rewrites too.
func (w *Way) redirect(path, args string) Step {
	w.changes--
	if w.changes == 0 {
		w.complain(cycle + " while internally redirecting to " + quoted(path))
		return w.special(500)
	}
	w.rq.Path, w.rq.Args = path, args
	w.doing = ""
	w.internal, w.unparsed, w.placed = true, false, true
	w.rq.ProxyHost, w.rq.ProxyPort = "", "" // nginx forgets what modules knew
	return w.enter()
}

// named sends the request to a named location (ngx_http_named_location). It keeps
// its path, its method, and its target as it was sent.
func (w *Way) named(name string) Step {
	w.changes--
	if w.changes == 0 {
		w.complain(cycle + " while redirect to named location " + quoted(name))
		return w.special(500)
	}
	for _, l := range w.server.Locations {
		if l.named && l.Path == name {
			w.internal, w.changed = true, false
			w.rq.ProxyHost, w.rq.ProxyPort = "", ""
			w.at(l)
			w.limit()
			if step, over := w.run(w.loc.script); over {
				return step
			}
			if w.changed {
				w.changes--
				if w.changes == 0 {
					w.complain(cycle + " while processing " + quoted(w.rq.Path))
					return w.special(500)
				}
				return w.find()
			}
			return w.content()
		}
	}
	w.complain(noLocation + " " + quoted(name))
	return w.special(500)
}
