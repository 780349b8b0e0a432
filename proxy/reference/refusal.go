package reference

import (
	"fmt"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/wire"
)

// refused notes why a head was answered with an error, in nginx's words. It looks
// at the head once more: nobody needs the reason but a log.
func (a *account) refused(head []byte, status int) {
	const inLine, inHeaders = "reading client request line", "reading client request headers"
	if status == 414 {
		a.rq.Line = string(head[:min(len(head), maxLine)])
		a.note(nginxconf.Info, "client sent too long URI", inLine)
		return
	}
	a.request(head)
	line, rest := wire.CutLine(head)
	var rq request
	if s := rq.requestLine(line); s != 0 {
		text, action := refusedLine(&rq, s)
		a.note(nginxconf.Info, text, action)
		return
	}
	text, left := refusedHeaders(&rq, rest)
	a.rq.Length -= int64(len(left)) // what nginx didn't get to
	a.note(nginxconf.Info, text, inHeaders)
}

// refusedLine is why the request line is refused.
func refusedLine(rq *request, status int) (text, action string) {
	const inLine, inHeaders = "reading client request line", "reading client request headers"
	switch {
	case rq.target != nil:
		return "client sent " + rq.method + " method", inHeaders
	case rq.method == "":
		return "client sent invalid method", inLine
	case status == 505:
		return "client sent invalid version", inLine
	}
	return "client sent invalid request", inLine
}

// refusedHeaders is why the headers are refused, and what follows the line at
// which nginx gave them up.
func refusedHeaders(rq *request, rest []byte) (text string, left []byte) {
	rq.length = -1
	for len(rest) > 0 {
		from := rest
		var line []byte
		if line, rest = wire.CutLine(rest); len(line) == 0 {
			break
		}
		if len(line) > maxLine {
			return fmt.Sprintf("client sent too long header line: \"%s...\"", line[:256]), from
		}
		f, ok, bad := wire.HeaderLine(line)
		if bad {
			at := offence(line)
			return fmt.Sprintf("client sent invalid header line: \"%s\\x%02x...\"", line[:at], line[at]), from
		}
		if !ok {
			continue
		}
		switch had := rq.length; rq.note(f) {
		case 400:
			if had >= 0 {
				return fmt.Sprintf("client sent duplicate header line: \"%s: %s\", previous value: \"Content-Length: %d\"", f.Name, f.Value, had), rest
			}
			return "client sent invalid \"Content-Length\" header", nil
		case 501:
			return fmt.Sprintf("client sent unknown \"Transfer-Encoding\": \"%s\"", f.Value), nil
		}
	}
	switch {
	case rq.http11 && rq.host == nil:
		return "client sent HTTP/1.1 request without \"Host\" header", nil
	case rq.chunked && rq.length >= 0:
		return "client sent \"Content-Length\" and \"Transfer-Encoding\" headers at the same time", nil
	case rq.chunked:
		return "client sent HTTP/1.0 request with \"Transfer-Encoding\" header", nil
	}
	return "client sent too large request", nil
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

// ignored notes the header lines that nginx passes over (ignore_invalid_headers).
func (a *account) ignored() {
	_, rest := wire.CutLine(a.asked)
	for len(rest) > 0 {
		var line []byte
		if line, rest = wire.CutLine(rest); len(line) == 0 {
			return
		}
		if _, ok, bad := wire.HeaderLine(line); !ok && !bad {
			a.note(nginxconf.Info, fmt.Sprintf("client sent invalid header line: \"%s\"", line), "reading client request headers")
		}
	}
}
