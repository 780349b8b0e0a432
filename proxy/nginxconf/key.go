package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
)

// key reads what `hash` hashes (ngx_http_compile_complex_value).
func (in *interpreter) key(d *Directive, u *upstream.Config) {
	parts, err := parseKey(d.Arg(0))
	if err != "" {
		in.out.add(d.ArgPos(0), "", "%s", err)
		return
	}
	for _, p := range parts {
		if p.Variable == "" {
			continue
		}
		switch why := unknowable(p.Variable); {
		case why != "":
			in.nginxOnlyArg(d, 0, "$"+p.Variable+" "+why)
		case strings.HasSuffix(p.Variable, "remote_addr"):
			in.byClient = append(in.byClient, d)
		case strings.HasPrefix(p.Variable, "http_"):
			in.byHeader = append(in.byHeader, d)
		}
	}
	u.Key = parts
}

// parseKey takes text with variables apart; the error is in nginx's words.
func parseKey(s string) (upstream.Key, string) {
	var out upstream.Key
	for s != "" {
		i := strings.IndexByte(s, '$')
		if i != 0 {
			if i < 0 {
				i = len(s)
			}
			out = append(out, upstream.KeyPart{Text: s[:i]})
			s = s[i:]
			continue
		}
		s = s[1:]
		inner, braced := strings.CutPrefix(s, "{")
		n := 0
		for n < len(inner) && (inner[n] == '_' || isAlnum(inner[n])) {
			n++
		}
		name := inner[:n]
		s = inner[n:]
		if braced {
			rest, closed := strings.CutPrefix(s, "}")
			if !closed {
				return nil, "the closing bracket in \"" + name + "\" variable is missing"
			}
			s = rest
		}
		if name == "" {
			return nil, "invalid variable name"
		}
		out = append(out, upstream.KeyPart{Variable: strings.ToLower(name)})
	}
	return out, ""
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// unknowable says why a variable's value isn't known to every engine, "" if it is.
func unknowable(name string) string {
	switch name {
	case "remote_addr", "binary_remote_addr", "request_uri", "uri", "document_uri",
		"args", "query_string", "is_args", "request_method", "scheme":
		return ""
	case "http_host", "http_connection", "http_content_length", "http_transfer_encoding", "http_x_nolive_request":
		return "is a header that the clients here write themselves"
	}
	if strings.HasPrefix(name, "arg_") && len(name) > 4 || strings.HasPrefix(name, "http_") && len(name) > 5 {
		return ""
	}
	return "isn't known to every engine"
}

// Facts are what a key may depend on in a request.
type Facts struct {
	Method string
	// Target is the request target as the client sent it, a path and what follows.
	Target string
	// RemoteAddr is the client's address as text, BinaryAddr as 4 or 16 bytes.
	RemoteAddr string
	BinaryAddr []byte
	// Headers calls its argument for every header of the request, in order.
	Headers func(yield func(name, value string))
}

// KeyOf is the value of a block's key for a request.
func KeyOf(u *upstream.Config, f *Facts) string {
	var b strings.Builder
	for _, p := range u.Key {
		if p.Variable == "" {
			b.WriteString(p.Text)
		} else {
			b.WriteString(f.value(p.Variable))
		}
	}
	return b.String()
}

func (f *Facts) value(name string) string {
	switch name {
	case "remote_addr":
		return f.RemoteAddr
	case "binary_remote_addr":
		return string(f.BinaryAddr)
	case "request_uri":
		return f.Target
	case "request_method":
		return f.Method
	case "scheme":
		return "http"
	}
	t, _ := parseTarget(f.Target)
	switch name {
	case "uri", "document_uri":
		return t.path
	case "args", "query_string":
		return t.args
	case "is_args":
		if t.args != "" {
			return "?"
		}
		return ""
	}
	if arg, ok := strings.CutPrefix(name, "arg_"); ok {
		return argument(t.args, arg)
	}
	return f.header(strings.TrimPrefix(name, "http_"))
}

// argument is ngx_http_arg: the first of that name, whatever its case, as it is.
func argument(args, name string) string {
	for a := range strings.SplitSeq(args, "&") {
		if n := len(name); len(a) > n && a[n] == '=' && strings.EqualFold(a[:n], name) {
			return a[n+1:]
		}
	}
	return ""
}

// header is the value of $http_NAME: of several headers of a name the first,
// except where nginx joins them. From 1.23.0 on it joins all of them.
func (f *Facts) header(name string) string {
	var values []string
	if f.Headers == nil {
		return ""
	}
	f.Headers(func(n, v string) {
		if headerIs(n, name) {
			values = append(values, strings.Trim(v, " "))
		}
	})
	switch {
	case len(values) == 0:
		return ""
	case name == "cookie":
		return strings.Join(values, "; ")
	case name == "x_forwarded_for":
		return strings.Join(values, ", ")
	}
	return values[0]
}

// headerIs compares a header's name with that of a variable. A header with an
// underscore isn't valid for nginx and dropped (underscores_in_headers off).
func headerIs(header, variable string) bool {
	if len(header) != len(variable) {
		return false
	}
	for i := range len(header) {
		c := header[i]
		switch {
		case c == '-':
			c = '_'
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case c == '_':
			return false
		}
		if c != variable[i] {
			return false
		}
	}
	return true
}
