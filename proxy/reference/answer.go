package reference

import (
	"cmp"
	"strconv"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// serverName is what the proxy calls itself in answers.
const serverName = "nolive"

// answer answers a client whose request couldn't be read, and tells that the
// request is done. An error page that is a backend's is none here.
func (c *client) answer(status int) {
	c.rq.keepAlive = false
	way := &c.route.way
	step := way.Fail(status)
	if step.Pass != nil {
		step.Answer = nginxconf.Answer{Status: status, Page: status}
	}
	c.send(step.Answer, way)
}

// reply sends one of nginx's own answers, as nginx words them, and tells that the
// request is done.
func (c *client) reply(a nginxconf.Answer) {
	way := &c.route.way
	if way.Closes() {
		c.rq.keepAlive = false
	}
	c.send(a, way)
}

// send is reply with the way that adds to the answer.
func (c *client) send(a nginxconf.Answer, way *nginxconf.Way) {
	if a.Silent {
		c.rq.keepAlive = false
		if c.account != nil {
			c.account.broken = true
		}
		c.answered(a.Status)
		return
	}
	contentType, content := cmp.Or(way.CarriedType(), a.ContentType), a.Text
	if a.Page != 0 {
		contentType, content = "text/html", builtIn(a.Page)
		if content == "" {
			contentType = ""
		}
	}
	b := c.head(lend(page)[:0], statusText(a.Status))
	if a.Status != 204 {
		if contentType != "" {
			b = append(append(b, "\r\nContent-Type: "...), way.Charset(contentType)...)
		}
		b = append(b, "\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(content)), 10)
	}
	if a.Status == 204 || a.Status == 304 {
		content = ""
	}
	location := ""
	if a.Location != "" {
		location = way.Absolute(a.Location, c.vars.Server.IP, c.vars.Server.Port)
	}
	if location != a.Location {
		b = append(append(b, "\r\nLocation: "...), location...)
	}
	b = c.connectionHeader(b)
	b = c.carried(b)
	if a.Redirect && location == "" || location != "" && location == a.Location {
		b = append(append(b, "\r\nLocation: "...), location...)
	}
	b = c.added(b, a.Status, nil)
	b = append(b, "\r\n\r\n"...)
	if c.rq.nine {
		b = b[:0]
	}
	if c.account != nil {
		c.account.sentHead(b, nil)
	}
	if !c.rq.head {
		b = append(b, content...)
	}
	if c.sock.write(b, c.sendLimit(), c) != nil {
		c.unwritten()
	}
	giveBack(b)
	c.answered(a.Status)
}

// unwritten notes that an answer didn't go out.
func (c *client) unwritten() {
	c.rq.keepAlive = false
	if c.account != nil {
		c.account.broken = true
	}
}

// head begins an answer: status line, Server, Date.
func (c *client) head(b []byte, text string) []byte {
	b = append(b, "HTTP/1.1 "...)
	b = append(b, text...)
	b = append(b, "\r\nServer: "+serverName+"\r\nDate: "...)
	return c.proxy.date.append(b)
}

func (c *client) connectionHeader(b []byte) []byte {
	if c.proxy.draining.Load() && c.rq.terms.version.TellsClose() {
		c.rq.keepAlive = false
	}
	if c.rq.keepAlive {
		b = append(b, "\r\nConnection: keep-alive"...)
		if told := c.rules.Told; told > 0 {
			b = append(b, "\r\nKeep-Alive: timeout="...)
			b = strconv.AppendInt(b, int64(told/time.Second), 10)
		}
		return b
	}
	return append(b, "\r\nConnection: close"...)
}

// answered tells that the request is done and what nginx would log.
func (c *client) answered(status int) {
	p := c.proxy
	p.sink.Emit(event.Event{At: p.clock.Now(), Kind: event.ProxyAnswered, Request: c.rq.id, Status: status, Worker: c.workerNumber()})
	if c.account != nil {
		c.account.answeredWith(status)
	}
}

// workerNumber is the worker's number in events.
func (c *client) workerNumber() int {
	if c.number < 0 {
		c.number = c.proxy.roster.number(c.worker)
	}
	return c.number
}
