package nginxconf

import (
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// verdict of a script.
type flow uint8

const (
	goOn    flow = iota
	ended        // the list is at its end: last, break
	replied      // the request has its answer
)

// run runs a level's rewrite directives (ngx_http_rewrite_handler). over is true
// when the request has its answer.
func (w *Way) run(script []code) (step Step, over bool) {
	step, f := w.runCodes(script)
	return step, f == replied
}

func (w *Way) runCodes(script []code) (Step, flow) {
	for i := range script {
		c := &script[i]
		switch c.op {
		case opReturn:
			return w.reply(c), replied
		case opSet:
			w.varied = w.varied || !c.value.Constant()
			w.keep(c.name, w.quote(c.value))
		case opBreak:
			if w.changed {
				w.placed, w.changed = false, false
			}
			return Step{}, ended
		case opRewrite:
			if step, f := w.rewrite(c.rewrite); f != goOn {
				return step, f
			}
		case opIf:
			w.varied = true
			if !w.holds(c.cond) {
				continue
			}
			if c.block != nil {
				w.at(c.block)
			}
			if step, f := w.runCodes(c.body); f != goOn {
				return step, f
			}
		}
	}
	return Step{}, goOn
}

// reply is `return` (ngx_http_script_return_code, ngx_http_send_response).
func (w *Way) reply(c *code) Step {
	r := c.reply
	if r.Status >= 400 && c.text.Source() == "" {
		if w.status != 0 && w.cfg.Version.KeepsStatusOfErrors() {
			return w.special(w.status)
		}
		return w.special(r.Status)
	}
	w.discard()
	if !c.text.Constant() {
		w.varied = true
	}
	w.rq.Status = w.Status(r.Status)
	text := c.text.Value(w.facts)
	w.rq.Status = w.status
	switch r.Status {
	case 308:
		if !w.cfg.Version.Redirects308() {
			break
		}
		fallthrough
	case 301, 302, 303, 307:
		w.location = text
		step := w.special(r.Status)
		step.Answer.Redirect = step.Answer.Page == r.Status
		return step
	}
	return Step{Answer: Answer{Status: w.Status(r.Status), Text: text, Location: w.location, ContentType: w.loc.sets().contentType(w.rq.Path)}}
}

// holds evaluates a condition.
func (w *Way) holds(c *condition) bool {
	if c.test == never {
		return c.not
	}
	v, _ := variable.Value(c.name, w.facts)
	switch c.test {
	case equal:
		return (v == w.quote(c.value)) != c.not
	case matches:
		groups := c.regex.match(v)
		if groups == nil {
			w.rq.Captures = nil
		} else {
			w.matched(c.regex, groups)
		}
		return (groups != nil) != c.not
	}
	return v != "" && v != "0"
}

// quote is the value of a template where nginx escapes captures: in a script,
// when the request's target had something that is escaped
// (ngx_http_script_copy_capture_code).
func (w *Way) quote(t variable.Template) string {
	if t.Constant() || !w.quoted && !w.plus || len(w.rq.Captures) == 0 {
		return t.Value(w.facts)
	}
	was := w.rq.Captures
	w.rq.Captures = make([]string, len(was))
	for i, c := range was {
		w.rq.Captures[i] = escapeArgs(w.cfg.Version, c)
	}
	v := t.Value(w.facts)
	w.rq.Captures = was
	return v
}

// rewrite is one `rewrite` (ngx_http_script_regex_start_code and _end_code).
func (w *Way) rewrite(r *rewrite) (Step, flow) {
	groups := r.regex.match(w.rq.Path)
	if groups == nil {
		w.rq.Captures = nil
		return Step{}, goOn
	}
	w.matched(r.regex, groups)
	if !r.to.Constant() || !r.args.Constant() {
		w.varied = true
	}
	w.internal, w.unparsed = true, false
	if r.brk {
		w.placed, w.changed = false, false
	} else {
		w.changed = true
	}
	if r.status != 0 {
		return w.redirects(r), replied
	}
	path := r.to.Value(w.facts)
	switch {
	case r.hasArgs:
		args := w.quote(r.args)
		if r.addArgs && w.rq.Args != "" {
			args += "&" + w.rq.Args
		}
		w.rq.Args = args
	case !r.addArgs:
		w.rq.Args = ""
	}
	if path == "" {
		w.complain(noLength)
		return w.special(500), replied
	}
	w.rq.Path = path
	if r.last {
		return Step{}, ended
	}
	return Step{}, goOn
}

// redirects is a rewrite that answers with a redirect.
func (w *Way) redirects(r *rewrite) Step {
	text := unescapeURI(w.quote(r.to), inRedirect)
	if r.addArgs && w.rq.Args != "" {
		sep := "?"
		if r.hasArgs {
			sep = "&"
		}
		text += sep + w.rq.Args
	}
	w.location = text
	return w.special(r.status)
}

// escapeArgs is ngx_escape_uri with NGX_ESCAPE_ARGS.
func escapeArgs(v upstream.Version, s string) string {
	if !v.EscapesAll() {
		return escapeBytes(s, "#%&+;?")
	}
	return escapeBytes(s, "\"#%&+;<>?\\^`{|}")
}
