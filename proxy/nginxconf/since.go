package nginxconf

// The words that the model takes and that some versions of it don't know, each
// with its first one (nginx's CHANGES).
var (
	directiveSince = map[string]string{
		"keepalive_requests": "1.15.3",
		"keepalive_timeout":  "1.15.3",
		"keepalive_time":     "1.19.10",
		"random":             "1.15.1",
	}
	// Of what stands in http, server and location.
	httpSince = map[string]string{
		"absolute_redirect":  "1.11.8",
		"keepalive_time":     "1.19.10",
		"max_headers":        "1.29.8",
		"proxy_cookie_flags": "1.19.3",
	}
	serverSince   = map[string]string{"max_conns=": "1.11.5"}
	protocolSince = map[string]string{"2": "1.29.4"} // of proxy_http_version
	flagSince     = map[string]string{"non_idempotent": "1.9.13", "http_429": "1.11.13"}
)

// tooNew says whether the version doesn't know a word yet, and since when it is
// one.
func (c *checker) tooNew(since map[string]string, word string) (hint string, yes bool) {
	first, ok := since[word]
	if !ok || c.cfg.Version.Since(first) {
		return "", false
	}
	return c.cameWith(first), true
}

// cameWith is the hint for a word that is newer than the version.
func (c *checker) cameWith(first string) string {
	return "it came with nginx " + first + ", and this is " + c.cfg.Version.String()
}

// newerDirective complains about a directive of an upstream block that the
// version doesn't know.
func (in *interpreter) newerDirective(d *Directive) bool {
	hint, yes := in.tooNew(directiveSince, d.Name.Text)
	if !yes {
		return false
	}
	text := "unknown directive \"%s\""
	_, elsewhere, _ := find(d.Name.Text, inHTTP)
	if _, newer := in.tooNew(httpSince, d.Name.Text); elsewhere && !newer {
		text = "\"%s\" directive is not allowed here"
	}
	in.out.add(d.Pos(), hint, text, d.Name.Text)
	return true
}
