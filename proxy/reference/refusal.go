package reference

import (
	"fmt"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// refused notes why a head was answered with an error, in nginx's words. It looks
// at the head once more: nobody needs the reason but a log.
func (a *account) refused(head []byte, status int) {
	a.request(head)
	text, action := refusal(head, status)
	a.note(nginxconf.Info, text, action)
}

func refusal(head []byte, status int) (text, action string) {
	const inLine, inHeaders = "reading client request line", "reading client request headers"
	line, rest := cutLine(head)
	var rq request
	switch s := rq.requestLine(line); {
	case status == 414:
		return "client sent too long URI", inLine
	case s == 0:
	case rq.target != nil:
		return "client sent " + rq.method + " method", inHeaders
	case rq.method == "":
		return "client sent invalid method", inLine
	case s == 505:
		return "client sent invalid version", inLine
	default:
		return "client sent invalid request", inLine
	}
	rq.length = -1
	for len(rest) > 0 {
		if line, rest = cutLine(rest); len(line) == 0 {
			break
		}
		if len(line) > maxLine {
			return fmt.Sprintf("client sent too long header line: \"%s...\"", line[:256]), inHeaders
		}
		f, ok, bad := headerLine(line)
		if bad {
			at := offence(line)
			return fmt.Sprintf("client sent invalid header line: \"%s\\x%02x...\"", line[:at], line[at]), inHeaders
		}
		if !ok {
			continue
		}
		switch had := rq.length; rq.note(f) {
		case 400:
			if had >= 0 {
				return fmt.Sprintf("client sent duplicate header line: \"%s: %s\", previous value: \"Content-Length: %d\"", f.name, f.value, had), inHeaders
			}
			return "client sent invalid \"Content-Length\" header", inHeaders
		case 501:
			return fmt.Sprintf("client sent unknown \"Transfer-Encoding\": \"%s\"", f.value), inHeaders
		}
	}
	switch {
	case rq.http11 && rq.host == nil:
		return "client sent HTTP/1.1 request without \"Host\" header", inHeaders
	case rq.chunked && rq.length >= 0:
		return "client sent \"Content-Length\" and \"Transfer-Encoding\" headers at the same time", inHeaders
	case rq.chunked:
		return "client sent HTTP/1.0 request with \"Transfer-Encoding\" header", inHeaders
	}
	return "client sent too large request", inHeaders
}

// tooLarge notes a body that client_max_body_size doesn't let in.
func (a *account) tooLarge() {
	rq := &a.client.rq
	if rq.chunked {
		a.note(nginxconf.Error, fmt.Sprintf("client intended to send too large chunked body: %d bytes", a.client.body.size), "reading client request body")
		return
	}
	a.note(nginxconf.Error, fmt.Sprintf("client intended to send too large body: %d bytes", rq.length), "")
}
