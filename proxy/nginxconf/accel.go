package nginxconf

import (
	"slices"
	"strings"

	"github.com/nolive/nolive/proxy/variable"
)

// accelRedirect is how Ignores is asked for it.
const accelRedirect = "x-accel-redirect"

// AccelRedirect says where a backend's X-Accel-Redirect sends the request, unless
// proxy_ignore_headers names it (ngx_http_upstream_process_headers). It comes after
// proxy_next_upstream and Intercept, and the status of the response doesn't matter. A
// path makes the method GET, unless it is HEAD; "@name" lets it be. head is the whole
// head of the response, nil where nobody asks what of it is Carried.
func (w *Way) AccelRedirect(p *Pass, to string, head variable.Header) (Step, bool) {
	if p.Ignores(accelRedirect) {
		return Step{}, false
	}
	w.doing = answering
	w.carried.take(p, w, head)
	if strings.HasPrefix(to, "@") {
		return w.named(to), true
	}
	path, args, ok := safeURI(to)
	if !ok {
		w.complain(unsafeURI + quoted(path) + detected)
		return w.special(404), true
	}
	w.asGet()
	return w.redirect(path, args), true
}

// safeURI is ngx_http_parse_unsafe_uri: a path, decoded, and its arguments. It needs no
// "/" in front. With false, path is what nginx complains of. ".." in front of arguments
// isn't seen, unless something is encoded: "/a/..?x" goes.
func safeURI(s string) (path, args string, ok bool) {
	path, args, _ = strings.Cut(s, "?")
	if path == "" || climbs(s, len(path)) {
		return s, "", false
	}
	if strings.IndexByte(path, '%') < 0 {
		return path, args, true
	}
	path = unescapeURI(path, inPath)
	return path, args, strings.IndexByte(path, 0) < 0 && !climbs(path, len(path))
}

// climbs says whether ".." is a whole segment of a text that begins in its first n bytes.
func climbs(s string, n int) bool {
	const up = ".."
	for i := -1; i < n; i++ {
		if i >= 0 && s[i] != '/' {
			continue
		}
		if rest := s[i+1:]; rest == up || strings.HasPrefix(rest, up+"/") {
			return true
		}
	}
	return false
}

// carried is what responses that were redirected away from leave to the answer that
// takes their place.
type carried struct {
	lines []carriedLine
	// contentType is that of the last of them, until nginx thinks of a page of its own;
	// charset stays for good.
	contentType, charset string
}

type carriedLine struct{ name, value string }

// take takes in a head: of ngx_http_upstream_headers_in the lines with redirect set,
// also those that proxy_hide_header names.
func (c *carried) take(p *Pass, w *Way, head variable.Header) {
	if head == nil {
		return
	}
	c.lines = slices.Clone(c.lines) // another way may have them too
	for name, value := range head {
		v := string(value)
		switch strings.ToLower(string(name)) {
		case "content-type":
			c.contentType = v
			if set, ok := charsetOf(v); ok {
				c.charset = set
			}
			continue
		case "set-cookie":
			if p.ChangesCookies() {
				v = p.SetCookie(w, v)
			}
		case "content-disposition", "cache-control", "expires", "accept-ranges":
		default:
			continue
		}
		c.lines = append(c.lines, carriedLine{string(name), v})
	}
}

// Leave leaves a header line of a response to the answer that takes its place.
func (w *Way) Leave(name, value string) {
	w.carried.lines = append(slices.Clone(w.carried.lines), carriedLine{name, value})
}

// page makes it what is left beside one of nginx's own pages
// (ngx_http_send_special_response).
func (c *carried) page() {
	for i := len(c.lines) - 1; i >= 0; i-- {
		if strings.EqualFold(c.lines[i].name, "Accept-Ranges") {
			c.lines = slices.Delete(slices.Clone(c.lines), i, i+1)
			return
		}
	}
}

// charsetOf is what nginx takes for the charset of a Content-Type: all that follows
// (ngx_http_upstream_copy_content_type).
func charsetOf(contentType string) (string, bool) {
	const mark = "charset="
	for rest := contentType; ; {
		_, after, found := strings.Cut(rest, ";")
		if !found {
			return "", false
		}
		rest = strings.TrimLeft(after, " ")
		if len(rest) >= len(mark) && strings.EqualFold(rest[:len(mark)], mark) {
			return strings.TrimSuffix(strings.TrimPrefix(rest[len(mark):], `"`), `"`), true
		}
	}
}

// Carried calls yield for every header line that the answer has from responses which
// were redirected away from (AccelRedirect), in order.
func (w *Way) Carried(yield func(name, value string)) {
	for _, l := range w.carried.lines {
		yield(l.name, l.value)
	}
}

// CarriedType is the Content-Type that they leave to an answer, "" for none: to one of a
// backend that has none, and to a file or a text of nginx's in place of its own.
func (w *Way) CarriedType() string { return w.carried.contentType }

// Charset is a Content-Type as it is sent, with the charset of a response that was
// redirected away from where it has none itself (ngx_http_header_filter).
func (w *Way) Charset(contentType string) string {
	if w.carried.charset == "" || contentType == "" {
		return contentType
	}
	if _, ok := charsetOf(contentType); ok {
		return contentType
	}
	return contentType + "; charset=" + w.carried.charset
}
