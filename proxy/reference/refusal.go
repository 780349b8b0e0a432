package reference

import (
	"fmt"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/wire"
)

// refused notes why a head was answered with an error, in nginx's words. It looks
// at the head once more: nobody needs the reason but a log.
func (a *account) refused(head []byte, status int) {
	const inLine, inHeaders = "reading client request line", "reading client request headers"
	if status == 414 {
		a.rq.Line = string(head[:min(len(head), a.client.heads.Line)])
		a.note(nginxconf.Info, "client sent too long URI", inLine)
		return
	}
	line, rest := wire.CutLine(head)
	rq := request{terms: a.client.rq.terms}
	if s := rq.requestLine(line); s != 0 {
		a.request(head)
		text, action := refusedLine(&rq, s)
		a.note(nginxconf.Info, text, action)
		return
	}
	if text := refusedTarget(&rq); text != "" {
		a.request(head[:len(head)-len(rest)])
		a.rq.Target, a.rq.Path, a.rq.Host = "", "", ""
		a.note(nginxconf.Info, text, inLine)
		return
	}
	text, left := refusedHeaders(&rq, rest, a.client.heads.Line)
	a.request(head[:len(head)-len(left)]) // nginx didn't get further
	a.ignored()
	a.note(nginxconf.Info, text, inHeaders)
}

// refusedTarget is why the target is refused, "" for one that is none of the
// reasons.
func refusedTarget(rq *request) string {
	if !nginxconf.ValidTarget(rq.terms.version, string(rq.target)) {
		return "client sent invalid request"
	}
	if rq.host != nil {
		if _, ok := nginxconf.HostOf(rq.terms.version, string(rq.host)); !ok {
			return "client sent invalid host in request line"
		}
	}
	return ""
}

// longestQuoted is how much of a line nginx quotes: NGX_MAX_ERROR_STR - 300.
const longestQuoted = 2048 - 300

// refusedLine is why the request line is refused.
func refusedLine(rq *request, status int) (text, action string) {
	const inLine = "reading client request line"
	switch {
	case rq.nine && rq.target != nil:
		return "client sent invalid method in HTTP/0.9 request", inLine
	case rq.method == "":
		return "client sent invalid method", inLine
	case status == 505:
		return "client sent invalid version", inLine
	}
	return "client sent invalid request", inLine
}

// refusedHeaders is why the headers are refused, and what follows the line at
// which nginx gave them up.
func refusedHeaders(rq *request, rest []byte, longest int) (text string, left []byte) {
	rq.length = -1
	for len(rest) > 0 {
		from := rest
		var line []byte
		if line, rest = wire.CutLine(rest); len(line) == 0 {
			break
		}
		if len(line) > longest {
			return fmt.Sprintf("client sent too long header line: \"%s...\"", line[:min(len(line), longestQuoted)]), from
		}
		f, ok, bad := rq.terms.names.HeaderLine(line)
		if bad {
			at := wire.Offence(line)
			return fmt.Sprintf("client sent invalid header line: \"%s\\x%02x...\"", line[:at], line[at]), from
		}
		if !ok {
			continue
		}
		if rq.full() {
			return "client sent too many header lines", rest
		}
		switch host := rq.hostHeader; rq.note(f) {
		case 0:
			if _, valid := nginxconf.HostOf(rq.terms.version, string(rq.hostHeader)); rq.hostHeader != nil && !valid {
				return "client sent invalid host header", rest
			}
		case 400:
			if wire.Is(f.Name, "Host") && !rq.terms.version.RefusesSecondHost() {
				return "client sent invalid host header", rest
			}
			if wire.Is(f.Name, "Host") {
				return fmt.Sprintf("client sent duplicate host header: \"%s: %s\", previous value: \"Host: %s\"", f.Name, f.Value, host), rest
			}
			was := rq.field(string(f.Name))
			return fmt.Sprintf("client sent duplicate header line: \"%s: %s\", previous value: \"%s: %s\"", f.Name, f.Value, was.Name, was.Value), rest
		}
		rq.fields = append(rq.fields, f)
	}
	v := rq.terms.version
	switch {
	case rq.http11 && rq.hostHeader == nil:
		return "client sent HTTP/1.1 request without \"Host\" header", nil
	case rq.badLength:
		return "client sent invalid \"Content-Length\" header", nil
	case rq.method == "TRACE" && !v.RefusesConnect():
		return "client sent TRACE method", nil
	case !rq.http11 && (rq.chunked || rq.coding != nil) && v.RefusesChunksOf10():
		return "client sent HTTP/1.0 request with \"Transfer-Encoding\" header", nil
	case rq.chunked && rq.length >= 0 && v.RefusesLengthOfChunks():
		return "client sent \"Content-Length\" and \"Transfer-Encoding\" headers at the same time", nil
	case rq.coding != nil:
		return fmt.Sprintf("client sent unknown \"Transfer-Encoding\": \"%s\"", rq.coding), nil
	case rq.method == "CONNECT" || rq.method == "TRACE":
		return "client sent " + rq.method + " method", nil
	}
	return "client sent too large request", nil
}

// complains tells what nginx logs about the way of the request.
func (c *client) complains() {
	for _, text := range c.route.way.Complaints() {
		c.logs(nginxconf.Error, text)
	}
}

// logs tells of a line of the error log that is about the request, not an attempt.
func (c *client) logs(level nginxconf.Level, text string) {
	c.tell(text)
	if c.account != nil {
		c.account.note(level, text, "")
	}
}

// tell is logs for a line that is in no journal.
func (c *client) tell(text string) {
	p := c.proxy
	p.sink.Emit(event.Event{At: p.clock.Now(), Kind: event.Logged, Request: c.rq.id, Worker: c.workerNumber(), Detail: text})
}

// ignored notes the header lines that nginx passes over (ignore_invalid_headers).
func (a *account) ignored() {
	_, rest := wire.CutLine(a.asked)
	for len(rest) > 0 {
		var line []byte
		if line, rest = wire.CutLine(rest); len(line) == 0 {
			return
		}
		if _, ok, bad := a.client.rq.terms.names.HeaderLine(line); !ok && !bad {
			a.note(nginxconf.Info, fmt.Sprintf("client sent invalid header line: \"%s\"", line), "reading client request headers")
		}
	}
}
