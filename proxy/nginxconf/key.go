package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// key reads what `hash` hashes (ngx_http_compile_complex_value).
func (in *interpreter) key(d *Directive, u *upstream.Config) {
	key, ok := in.template(d, 0, d.Arg(0))
	if !ok {
		return
	}
	if in.inStream {
		in.connectionKey(d, key.Names())
		u.Key = key
		return
	}
	in.decides(d, 0, key.Names())
	for _, name := range key.Names() {
		switch {
		case strings.HasPrefix(name, "http_"):
			in.byHeader = append(in.byHeader, d)
		}
	}
	u.Key = key
}

// unknowable says why a variable's value isn't known to every engine, "" if it is.
func unknowable(name string) string {
	switch name {
	case "remote_addr", "binary_remote_addr", "realip_remote_addr", "request_uri", "uri", "document_uri",
		"args", "query_string", "is_args", "request_method", "scheme", "https", "host", "server_name", "content_type":
		return ""
	case "http_host", "http_connection", "http_content_length", "http_transfer_encoding", "http_x_nolive_request":
		return "is a header that the clients here write themselves"
	}
	for _, p := range []string{"arg_", "http_", "cookie_"} {
		if strings.HasPrefix(name, p) && len(name) > len(p) {
			return ""
		}
	}
	return "isn't known to every engine"
}

// Request is a request for a target, as far as the target tells of it. Of one
// that nginx refuses it is the target alone.
func Request(method, target string) variable.Request {
	t, _ := parseTarget(upstream.Stable, target)
	return variable.Request{Method: method, Target: target, Path: t.path, Args: t.args}
}
