package variable

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
)

// ofRequest reads a text of the request that isn't there when it is "".
func ofRequest(text func(*Request) string) reader {
	return func(b []byte, f Facts, _ string) ([]byte, bool) {
		s := text(f.Request())
		return append(b, s...), s != ""
	}
}

func ofProcess(text func(*Process) string) reader {
	return func(b []byte, f Facts, _ string) ([]byte, bool) {
		p := f.Request().Process
		if p == nil {
			return b, false
		}
		return append(b, text(p)...), true
	}
}

func pid(b []byte, f Facts, _ string) ([]byte, bool) {
	p := f.Request().Process
	if p == nil {
		return b, false
	}
	return strconv.AppendInt(b, int64(p.PID), 10), true
}

func host(b []byte, f Facts, name string) ([]byte, bool) {
	if h := f.Request().Host; h != "" {
		return append(b, h...), true
	}
	return serverName(b, f, name)
}

func serverName(b []byte, f Facts, _ string) ([]byte, bool) {
	return append(b, f.Request().ServerName...), true
}

func serverProtocol(b []byte, f Facts, _ string) ([]byte, bool) {
	r := f.Request()
	return append(b, r.Protocol...), r.Protocol != "" || r.NoProtocol
}

func scheme(b []byte, f Facts, _ string) ([]byte, bool) {
	if f.Request().TLS {
		return append(b, "https"...), true
	}
	return append(b, "http"...), true
}

// https is "on" for a connection with TLS, else there and empty.
func https(b []byte, f Facts, _ string) ([]byte, bool) {
	if f.Request().TLS {
		b = append(b, "on"...)
	}
	return b, true
}

func isArgs(b []byte, f Facts, _ string) ([]byte, bool) {
	if f.Request().Args != "" {
		b = append(b, '?')
	}
	return b, true
}

func remoteAddr(b []byte, f Facts, _ string) ([]byte, bool) {
	return append(b, f.Request().Client.IP...), true
}

func remotePort(b []byte, f Facts, _ string) ([]byte, bool) {
	return append(b, f.Request().Client.Port...), true
}

func binaryRemoteAddr(b []byte, f Facts, _ string) ([]byte, bool) {
	c := &f.Request().Client
	if c.Binary == nil {
		return append(b, c.IP...), true
	}
	return append(b, c.Binary...), true
}

// origin is where the connection came from, whatever a header says.
func origin(r *Request) *Address {
	if r.Origin.IP != "" {
		return &r.Origin
	}
	return &r.Client
}

func realAddress(b []byte, f Facts, _ string) ([]byte, bool) {
	return append(b, origin(f.Request()).IP...), true
}

func realPort(b []byte, f Facts, _ string) ([]byte, bool) {
	return append(b, origin(f.Request()).Port...), true
}

func serverAddr(b []byte, f Facts, _ string) ([]byte, bool) {
	return append(b, f.Request().Server.IP...), true
}

func serverPort(b []byte, f Facts, _ string) ([]byte, bool) {
	return append(b, f.Request().Server.Port...), true
}

func connection(b []byte, f Facts, _ string) ([]byte, bool) {
	return strconv.AppendUint(b, f.Request().Connection, 10), true
}

func connectionRequests(b []byte, f Facts, _ string) ([]byte, bool) {
	return strconv.AppendInt(b, int64(f.Request().Requests), 10), true
}

func pipe(b []byte, f Facts, _ string) ([]byte, bool) {
	if f.Request().Pipelined {
		return append(b, 'p'), true
	}
	return append(b, '.'), true
}

func requestLength(b []byte, f Facts, _ string) ([]byte, bool) {
	return strconv.AppendInt(b, f.Request().Length, 10), true
}

func requestBody(b []byte, f Facts, _ string) ([]byte, bool) {
	body := f.Request().Body
	return append(b, body...), body != nil
}

func requestID(b []byte, f Facts, _ string) ([]byte, bool) {
	id := f.Request().ID
	if id == nil {
		return b, false
	}
	return append(b, id()...), true
}

// contentLength is the header, else the length of a body that came in chunks,
// once it was read (ngx_http_variable_content_length).
func contentLength(b []byte, f Facts, _ string) ([]byte, bool) {
	r := f.Request()
	if out, ok := r.first(b, r.Header, "content_length"); ok {
		return out, true
	}
	if r.ContentLength > 0 {
		return strconv.AppendInt(b, r.ContentLength, 10), true
	}
	return b, false
}

// header is $http_NAME.
func header(b []byte, f Facts, name string) ([]byte, bool) {
	r := f.Request()
	return r.lines(b, r.Header, strings.TrimPrefix(name, "http_"))
}

// firstHeader reads a header that the request may have once.
func firstHeader(name string) reader {
	return func(b []byte, f Facts, _ string) ([]byte, bool) {
		r := f.Request()
		return r.lines(b, r.Header, name)
	}
}

// joinedHeader reads one whose lines every nginx joins.
func joinedHeader(name, by string) reader {
	return func(b []byte, f Facts, _ string) ([]byte, bool) { return joined(b, f.Request().Header, name, by) }
}

// addForwardedFor is X-Forwarded-For with the client's address added
// (ngx_http_proxy_add_x_forwarded_for_variable).
func addForwardedFor(b []byte, f Facts, _ string) ([]byte, bool) {
	if out, ok := joined(b, f.Request().Header, "x_forwarded_for", ", "); ok {
		b = append(out, ", "...)
	}
	return append(b, f.Request().Client.IP...), true
}

// argument is $arg_NAME: the first of that name, whatever its case, as it is
// (ngx_http_arg).
func argument(b []byte, f Facts, name string) ([]byte, bool) {
	name = strings.TrimPrefix(name, "arg_")
	if name == "" {
		return b, false
	}
	for a := range strings.SplitSeq(f.Request().Args, "&") {
		if n := len(name); len(a) > n && a[n] == '=' && strings.EqualFold(a[:n], name) {
			return append(b, a[n+1:]...), true
		}
	}
	return b, false
}

// cookie is $cookie_NAME.
func cookie(b []byte, f Facts, name string) ([]byte, bool) {
	name = strings.TrimPrefix(name, "cookie_")
	if f.Request().Header == nil {
		return b, false
	}
	for n, v := range f.Request().Header {
		if !headerIs(n, "cookie") {
			continue
		}
		if value, ok := inCookies(v, name, separators(f.Request())); ok {
			return append(b, value...), true
		}
	}
	return b, false
}

// separators are what ends a cookie.
func separators(r *Request) string {
	if r.Commas {
		return ";,"
	}
	return ";"
}

// inCookies looks for a cookie in one Cookie line (ngx_http_parse_cookie_lines).
func inCookies(line []byte, name, separators string) ([]byte, bool) {
	for len(line) >= len(name) && len(line) > 0 {
		if strings.EqualFold(string(line[:len(name)]), name) {
			line = bytes.TrimLeft(line[len(name):], " ")
			if value, ok := bytes.CutPrefix(line, []byte("=")); ok {
				value, _, _ = bytes.Cut(bytes.TrimLeft(value, " "), []byte(";"))
				return value, true
			}
			// What isn't "=" is passed over whatever it is, so that behind
			// "name;" the next cookie is missed.
			line = line[min(1, len(line)):]
		}
		i := bytes.IndexAny(line, separators)
		if i < 0 {
			break
		}
		line = bytes.TrimLeft(line[i+1:], " ")
	}
	return nil, false
}

// remoteUser is the name in basic authorization (ngx_http_auth_basic_user).
func remoteUser(b []byte, f Facts, _ string) ([]byte, bool) {
	r := f.Request()
	line, ok := r.first(nil, r.Header, "authorization")
	const basic = "Basic "
	if !ok || len(line) < len(basic) || !strings.EqualFold(string(line[:len(basic)]), basic) {
		return b, false
	}
	code := bytes.TrimLeft(line[len(basic):], " ")
	code, _, _ = bytes.Cut(code, []byte("="))
	// nginx doesn't mind bits that are left over, nor missing padding.
	plain, err := base64.RawStdEncoding.DecodeString(string(code))
	user, _, found := bytes.Cut(plain, []byte(":"))
	if err != nil || !found || len(user) == 0 {
		return b, false
	}
	return append(b, user...), true
}
