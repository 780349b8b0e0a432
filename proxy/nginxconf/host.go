package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
)

// HostOf is the host that a Host header or a request's URI names: without port
// and last dot, in lower case; false for one that a version of nginx answers with
// 400 (ngx_http_validate_host).
func HostOf(v upstream.Version, s string) (string, bool) {
	host, ok := "", false
	if v.RefusesOddHosts() {
		host, ok = strictHost(s)
	} else {
		host, ok = laxHost(s, v.RefusesOddTargets())
	}
	if !ok || host == "" {
		return "", false
	}
	return strings.ToLower(host), true
}

// laxHost looks for little but the end of the host. Before 1.21.1, not strict, it
// might have spaces in it.
func laxHost(s string, strict bool) (string, bool) {
	dot, end, literal := len(s), len(s), false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.':
			if dot == i-1 {
				return "", false
			}
			dot = i
		case c == ':' && !literal && end == len(s):
			end = i
		case c == '[' && i == 0:
			literal = true
		case c == ']' && literal:
			literal, end = false, i+1
		case c == '/', c == 0, strict && (c <= ' ' || c == 0x7f):
			return "", false
		}
	}
	if dot == end-1 {
		end--
	}
	return s[:max(end, 0)], true
}

// strictHost takes a name or an address of RFC 3986, and a port.
func strictHost(s string) (string, bool) {
	end := strings.IndexByte(s, ':')
	literal := strings.HasPrefix(s, "[")
	if literal {
		if end = strings.IndexByte(s, ']') + 1; end == 0 {
			return "", false
		}
	}
	if end < 0 {
		end = len(s)
	}
	host, port := s[:end], s[end:]
	if port != "" && (port[0] != ':' || !portDigits(port[1:])) {
		return "", false
	}
	if literal {
		if in := host[1 : end-1]; strings.Contains(in, "..") || !hostBytes(in, ":") {
			return "", false
		}
		return host, true
	}
	if strings.Contains(host, "..") || !hostBytes(host, "%") {
		return "", false
	}
	return strings.TrimSuffix(host, "."), true
}

// hostBytes says whether all bytes are unreserved, sub-delims of RFC 3986, or among
// also.
func hostBytes(s, also string) bool {
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(also, c) >= 0:
		default:
			return false
		}
	}
	return true
}

// portDigits says whether a port is one, or isn't there.
func portDigits(s string) bool {
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
		if n = n*10 + int(c-'0'); n > 65535 {
			return false
		}
	}
	return true
}
