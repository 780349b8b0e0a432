package reference

import (
	"bytes"

	"github.com/nolive/nolive/proxy/wire"
)

func (rq *request) requestLine(line []byte) int {
	i := bytes.IndexByte(line, ' ')
	if i <= 0 {
		return 400
	}
	if rq.method = rq.methodOf(line[:i]); rq.method == "" {
		return 400
	}
	rq.head = rq.method == "HEAD"
	target, version := rq.cutTarget(bytes.TrimLeft(line[i:], " "))
	if len(target) == 0 {
		return 400
	}
	for _, c := range target {
		if (c <= ' ' || c == 0x7f) && (c == 0 || c == '\r' || rq.terms.version.RefusesOddTargets()) {
			return 400
		}
	}
	switch {
	case rq.method == "CONNECT" && rq.terms.version.ConnectNamesHost():
		// Its path is that of "http://host:port".
		if rq.host, target = target, []byte("/"); !rq.connects(rq.host) || len(version) == 0 {
			return 400
		}
	case target[0] != '/':
		// Absolute form: its host wins over the Host header.
		k := bytes.Index(target, []byte("://"))
		if k <= 0 {
			return 400
		}
		target = target[k+3:]
		k = bytes.IndexAny(target, "/?")
		if k < 0 {
			rq.host, target = target, []byte("/")
		} else {
			rq.host, target = target[:k], target[k:]
		}
		if !rq.hostSoFar(rq.host) || target[0] != '/' && !rq.terms.version.TakesBareQuery() {
			return 400
		}
	}
	if status := rq.version(version); status != 0 {
		return status
	}
	rq.target = target
	if rq.nine && rq.method != "GET" {
		return 400
	}
	return 0
}

// cutTarget splits what follows the method. Before 1.21.1 a space was part of the
// target unless nothing or an "H" came behind it (sw_check_uri_http_09).
func (rq *request) cutTarget(b []byte) (target, version []byte) {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], ' ')
		if i < 0 {
			return b, nil
		}
		i += from
		rest := bytes.TrimLeft(b[i:], " ")
		if len(rest) == 0 || rest[0] == 'H' || rq.terms.version.RefusesOddTargets() {
			return b[:i], bytes.TrimRight(rest, " ")
		}
		from = len(b) - len(rest)
	}
}

// version reads what follows the target; nothing is HTTP/0.9.
func (rq *request) version(v []byte) int {
	switch {
	case len(v) == 0:
		rq.nine = true
	case len(v) < 8 || string(v[:5]) != "HTTP/":
		return 400
	case string(v) == "HTTP/1.1":
		rq.http11 = true
	case string(v) == "HTTP/1.0":
	case v[5] == '1' && v[6] == '.' && allDigits(v[7:]):
		rq.http11 = true
	case !rq.terms.version.RefusesHTTP2() && laterVersion(v[5:]):
		rq.http11 = true
	case v[5] >= '2' && v[5] <= '9' && v[6] == '.':
		return 505
	default:
		return 400
	}
	return 0
}

// laterVersion says whether a version, behind "HTTP/", is 2.0 or a later one.
func laterVersion(v []byte) bool {
	major, minor, _ := bytes.Cut(v, []byte("."))
	return allDigits(major) && allDigits(minor) && len(major) < 3 && len(minor) < 3 && major[0] != '0' && string(major) != "1"
}

// methodOf returns the method, without allocating for the usual ones; "" when
// nginx would refuse it.
func (rq *request) methodOf(b []byte) string {
	switch string(b) {
	case "GET":
		return "GET"
	case "HEAD":
		return "HEAD"
	case "POST":
		return "POST"
	case "PUT":
		return "PUT"
	case "DELETE":
		return "DELETE"
	case "PATCH":
		return "PATCH"
	case "OPTIONS":
		return "OPTIONS"
	}
	for _, c := range b {
		if !rq.inMethod(c) {
			return ""
		}
	}
	return string(b)
}

// inMethod says whether a method may have a byte.
func (rq *request) inMethod(c byte) bool {
	return c >= 'A' && c <= 'Z' || c == '_' || c == '-' && rq.terms.version.TakesDashesInMethods()
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// connects says whether CONNECT may have a target: a host and a port.
func (rq *request) connects(b []byte) bool {
	end := bytes.IndexByte(b, ':')
	if len(b) > 0 && b[0] == '[' {
		end = bytes.IndexByte(b, ']') + 1
	}
	return end >= 0 && end < len(b) && b[end] == ':' && rq.hostSoFar(b) && (end+1 == len(b) || allDigits(b[end+1:]))
}

// hostSoFar says whether a request line may have a host, and a port (sw_host to
// sw_port of ngx_http_parse_request_line). Whether it is one is looked at later.
func (rq *request) hostSoFar(b []byte) bool {
	if len(b) > 0 && b[0] == '[' {
		return true
	}
	b, port, _ := bytes.Cut(b, []byte(":"))
	for _, c := range b {
		if c != '.' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	if v := rq.terms.version; v.ConnectNamesHost() && !v.RefusesOddHosts() {
		// 1.29.3 counted; since then it is refused as a host.
		if n, ok := wire.Number(port); len(port) > 0 && (!ok || n > 65535) {
			return false
		}
	}
	return len(port) == 0 || allDigits(port)
}

// methodSoFar says whether what there is of a request line may go on: its method
// has none but capital letters.
func (rq *request) methodSoFar(b []byte) bool {
	for _, c := range b {
		switch {
		case c == ' ':
			return true
		case !rq.inMethod(c):
			return false
		}
	}
	return true
}
