package reference

import (
	"net/http"
	"strconv"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// serverName is what the proxy calls itself in answers.
const serverName = "nolive"

// answer sends one of the proxy's own answers, as nginx words them, and tells
// that the request is done.
func (c *client) answer(status int) {
	text := statusText(status)
	c.respond(status, text, "text/html", "", "<html>\r\n<head><title>"+text+"</title></head>\r\n<body>\r\n"+
		"<center><h1>"+text+"</h1></center>\r\n<hr><center>"+serverName+"</center>\r\n</body>\r\n</html>\r\n")
}

// returns answers a location without proxy_pass.
func (c *client) returns(r *nginxconf.Return) {
	switch {
	case r == nil:
		c.answer(404)
	case r.Text == "" && r.Status >= 300:
		c.answer(r.Status)
	case r.Status == 301 || r.Status == 302 || r.Status == 303 || r.Status == 307 || r.Status == 308:
		text := statusText(r.Status)
		c.respond(r.Status, text, "text/html", r.Text, "<html>\r\n<head><title>"+text+"</title></head>\r\n<body>\r\n"+
			"<center><h1>"+text+"</h1></center>\r\n<hr><center>"+serverName+"</center>\r\n</body>\r\n</html>\r\n")
	default:
		c.respond(r.Status, statusText(r.Status), "text/plain", "", r.Text)
	}
}

func (c *client) respond(status int, text, contentType, location, content string) {
	switch status {
	case 400, 413, 414, 500, 501:
		c.rq.keepAlive = false // ngx_http_special_response_handler
	}
	b := c.head(lend(page)[:0], status, text)
	if status != 204 && status != 304 {
		b = append(b, "\r\nContent-Type: "...)
		b = append(b, contentType...)
		b = append(b, "\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(content)), 10)
	} else {
		content = ""
	}
	if location != "" {
		b = append(append(b, "\r\nLocation: "...), location...)
	}
	b = c.connectionHeader(b)
	b = append(b, "\r\n\r\n"...)
	if c.account != nil {
		c.account.sentHead(b)
	}
	if !c.rq.head {
		b = append(b, content...)
	}
	if c.sock.write(b, c.sendLimit(), c) != nil {
		c.rq.keepAlive = false
	}
	giveBack(b)
	c.answered(status)
}

// head begins an answer: status line, Server, Date.
func (c *client) head(b []byte, status int, text string) []byte {
	b = append(b, "HTTP/1.1 "...)
	b = append(b, text...)
	b = append(b, "\r\nServer: "+serverName+"\r\nDate: "...)
	return c.proxy.date.append(b)
}

func (c *client) connectionHeader(b []byte) []byte {
	if c.rq.keepAlive {
		return append(b, "\r\nConnection: keep-alive"...)
	}
	return append(b, "\r\nConnection: close"...)
}

// answered tells that the request is done and what nginx would log.
func (c *client) answered(status int) {
	p := c.proxy
	p.sink.Emit(event.Event{At: p.clock.Now(), Kind: event.ProxyAnswered, Request: c.rq.id, Status: status, Worker: c.workerNumber()})
	if c.account != nil {
		c.account.over(status)
	}
}

// workerNumber is the worker's number in events.
func (c *client) workerNumber() int {
	if c.number < 0 {
		c.number = c.proxy.roster.number(c.worker)
	}
	return c.number
}

// statusText is a status line behind the version, in nginx's words.
func statusText(status int) string {
	switch status {
	case 302:
		return "302 Moved Temporarily"
	case 405:
		return "405 Not Allowed"
	case 408:
		return "408 Request Time-out"
	case 413:
		return "413 Request Entity Too Large"
	case 414:
		return "414 Request-URI Too Large"
	case 416:
		return "416 Requested Range Not Satisfiable"
	case 503:
		return "503 Service Temporarily Unavailable"
	case 504:
		return "504 Gateway Time-out"
	}
	if text := http.StatusText(status); text != "" {
		return strconv.Itoa(status) + " " + text
	}
	return strconv.Itoa(status)
}
