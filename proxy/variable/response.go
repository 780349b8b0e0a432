package variable

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// ofResponse reads something of the response, which isn't there before one is.
func ofResponse(write func(b []byte, rs *Response) []byte) reader {
	return func(b []byte, f Facts, _ string) ([]byte, bool) {
		rs := f.Response()
		if rs == nil {
			return b, false
		}
		return write(b, rs), true
	}
}

// status has three digits, so an HTTP/0.9 answer is 009
// (ngx_http_variable_status).
func status(b []byte, f Facts, _ string) ([]byte, bool) {
	rs := f.Response()
	if rs == nil {
		return b, false
	}
	n := rs.Status
	if n == 0 {
		n = f.Request().Status
	}
	for limit := 100; limit > 1 && n < limit; limit /= 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(n), 10), true
}

func bytesSent(b []byte, rs *Response) []byte { return strconv.AppendInt(b, rs.Sent, 10) }

func bodyBytesSent(b []byte, rs *Response) []byte {
	return strconv.AppendInt(b, max(rs.Sent-rs.Head, 0), 10)
}

func requestTime(b []byte, rs *Response) []byte    { return appendSeconds(b, rs.Elapsed) }
func connectionTime(b []byte, rs *Response) []byte { return appendSeconds(b, rs.Connected) }

// appendSeconds writes a duration as nginx does: seconds with three digits
// behind the point, what is below a millisecond cut off.
func appendSeconds(b []byte, d time.Duration) []byte {
	return appendMilliseconds(b, max(d.Milliseconds(), 0))
}

func appendMilliseconds(b []byte, ms int64) []byte {
	b = strconv.AppendInt(b, ms/1000, 10)
	ms %= 1000
	return append(b, '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
}

func msec(b []byte, rs *Response) []byte { return appendMilliseconds(b, rs.Now.UnixMilli()) }

func timeLocal(b []byte, rs *Response) []byte {
	return rs.Now.AppendFormat(b, "02/Jan/2006:15:04:05 -0700")
}

func timeISO8601(b []byte, rs *Response) []byte {
	return rs.Now.AppendFormat(b, "2006-01-02T15:04:05-07:00")
}

func requestCompletion(b []byte, f Facts, _ string) ([]byte, bool) {
	if rs := f.Response(); rs != nil && rs.Complete {
		b = append(b, "OK"...)
	}
	return b, true
}

// sentHeader is $sent_http_NAME.
func sentHeader(b []byte, f Facts, name string) ([]byte, bool) {
	rs := f.Response()
	if rs == nil {
		return b, false
	}
	return f.Request().lines(b, rs.Header, strings.TrimPrefix(name, "sent_http_"))
}

// sentLastModified is $sent_http_last_modified. nginx forgets a date of an answer that is
// none of a file, though it sends the line (ngx_http_header_filter).
func sentLastModified(b []byte, f Facts, name string) ([]byte, bool) {
	out, ok := sentHeader(b, f, name)
	if !ok {
		return b, false
	}
	switch f.Response().Status {
	case 200, 206, 304:
		return out, true
	}
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if _, err := time.Parse(layout, string(out[len(b):])); err == nil {
			return b, false
		}
	}
	return out, true
}

// sentJoined reads a header whose lines every nginx joins.
func sentJoined(name string) reader {
	return func(b []byte, f Facts, _ string) ([]byte, bool) {
		rs := f.Response()
		if rs == nil {
			return b, false
		}
		return joined(b, rs.Header, name, ", ")
	}
}

// upstreamHeader is $upstream_http_NAME.
func upstreamHeader(b []byte, f Facts, name string) ([]byte, bool) {
	rs := f.Response()
	if rs == nil {
		return b, false
	}
	return f.Request().lines(b, rs.Upstream, strings.TrimPrefix(name, "upstream_http_"))
}

// upstreamCookie is $upstream_cookie_NAME: a Set-Cookie of the backend
// (ngx_http_parse_set_cookie_lines).
func upstreamCookie(b []byte, f Facts, name string) ([]byte, bool) {
	rs := f.Response()
	if rs == nil || rs.Upstream == nil {
		return b, false
	}
	name = strings.TrimPrefix(name, "upstream_cookie_")
	for n, v := range rs.Upstream {
		if !headerIs(n, "set_cookie") || len(v) <= len(name) || !strings.EqualFold(string(v[:len(name)]), name) {
			continue
		}
		value, ok := bytes.CutPrefix(bytes.TrimLeft(v[len(name):], " "), []byte("="))
		if !ok {
			continue
		}
		value, _, _ = bytes.Cut(bytes.TrimLeft(value, " "), []byte(";"))
		return append(b, value...), true
	}
	return b, false
}
