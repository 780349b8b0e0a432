package nginxconf

import "strings"

// enter runs the server's script and looks for a location: for a new request,
// and for one that was sent to another path.
func (w *Way) enter() Step {
	w.at(w.server.level())
	if step, over := w.run(w.loc.script); over {
		return step
	}
	return w.find()
}

// find looks for the location and goes on there (ngx_http_core_find_config_phase
// to ngx_http_core_post_rewrite_phase).
func (w *Way) find() Step {
	for {
		w.changed = false
		l, how := w.server.find(w, nil)
		if l == nil {
			l = w.server.level()
		}
		w.at(l)
		if l.internal && !w.internal {
			return w.special(404)
		}
		w.limit()
		if w.length > *w.loc.sets().body {
			// Without its body it isn't too long any more.
			w.refused = true
			w.complain(TooLargeBody(w.length))
			w.discard()
			return w.special(413)
		}
		if how == redirected {
			w.location = escapePath(w.cfg.Version, l.Path)
			if w.rq.Args != "" {
				w.location += "?" + w.rq.Args
			}
			return w.special(301)
		}
		if l != w.server.level() {
			if step, over := w.run(w.loc.script); over {
				return step
			}
		}
		if !w.changed {
			return w.content()
		}
		w.changes--
		if w.changes == 0 {
			w.complain(cycle + " while processing " + quoted(w.rq.Path))
			return w.special(500)
		}
		w.at(w.server.level())
	}
}

// limit applies limit_except (ngx_http_update_location_config).
func (w *Way) limit() {
	l := w.loc
	w.located = true
	defer func() { w.unkept = w.unkept || *w.loc.sets().clients.idle == 0 }()
	if l.except == nil {
		return
	}
	w.varied = true
	if l.except.methods.excludes(w.method) {
		w.at(l.except.block)
	}
}

// content answers (ngx_http_core_content_phase). Where nothing else does, nginx
// looks for a file, and there is none.
func (w *Way) content() Step {
	if w.reach != nil {
		w.reach.served[w.loc] = true
	}
	if w.loc.denied {
		w.complain(forbidden)
		return w.special(403)
	}
	if f := w.loc.tries; f != nil {
		return w.fallBack(f)
	}
	if p := w.loc.Pass; p != nil {
		return w.pass(p)
	}
	if w.loc.page {
		w.varied = true
		switch w.method {
		case "GET", "HEAD":
			return Step{Answer: Answer{Status: w.Status(200), Text: StandInPage, ContentType: w.loc.sets().contentType(w.rq.Path), Location: w.location}}
		case "POST":
			return w.special(405) // of a file that is there (ngx_http_static_handler)
		}
	}
	switch w.method {
	case "GET", "HEAD", "POST":
		step := w.special(404)
		step.Answer.Nobody = step.Pass == nil && step.Answer.Page == 404
		return step
	}
	w.varied = true
	return w.special(405)
}

// pass makes the step that passes the request on.
func (w *Way) pass(p *Pass) Step {
	uri := ""
	if p.dynamic != nil {
		w.varied = true
		var status int
		if p, uri, status = w.resolve(p); status != 0 {
			return w.special(status)
		}
	}
	w.rq.ProxyHost, w.rq.ProxyPort = p.proxyHost()
	if uri == "" {
		uri = w.uri(p)
	}
	return Step{Pass: p, URI: uri}
}

// uri is the target that a backend gets (ngx_http_proxy_create_request).
func (w *Way) uri(p *Pass) string {
	if !p.HasURI && w.unparsed {
		return w.target
	}
	rest := w.rq.Path
	if p.HasURI && w.placed {
		rest = rest[min(len(p.Match), len(rest)):]
	}
	if w.quoted || w.internal || strings.IndexByte(w.target, ' ') >= 0 {
		rest = escapePath(w.cfg.Version, rest)
	}
	if w.rq.Args != "" {
		rest += "?" + w.rq.Args
	}
	if w.placed {
		rest = p.URI + rest
	}
	return rest
}
