package reference

import (
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/wire"
)

// skipping is a request body that nobody reads.
type skipping struct {
	chunks wire.Chunks
	left   int64 // of one that says its length
}

// take passes over the part of b that belongs to the body. done is true at its end;
// false without an error is one of which some is still to come.
func (s *skipping) take(b []byte, chunked bool) (used int, done bool, err error) {
	if chunked {
		_, used, err = s.chunks.Decode(b)
		return used, s.chunks.Done, err
	}
	used = int(min(s.left, int64(len(b))))
	s.left -= int64(used)
	return used, s.left == 0, nil
}

// answerAtOnce answers a request with a body that nobody asks for: nginx doesn't
// wait for it, and throws away what comes behind the answer
// (ngx_http_discard_request_body). It says whether the connection stays open.
func (c *client) answerAtOnce(a nginxconf.Answer) bool {
	rq := &c.rq
	if a.Silent {
		c.reply(a)
		return false
	}
	// Before a page of its own nginx asks for no body.
	if way := &c.route.way; rq.expect && way.Discarded() && !way.Refused() && c.sock.write([]byte("HTTP/1.1 100 Continue\r\n\r\n"), c.sendLimit(), c) != nil {
		c.leftInBody(400)
		return false
	}
	s := skipping{chunks: rq.chunks(), left: max(rq.length, 0)}
	used, done, err := s.take(c.in.unread(), rq.chunked)
	if err != nil {
		c.answerAndLinger(400)
		return false
	}
	c.in.r += used
	c.logsLate = !done
	c.reply(a)
	if done {
		return rq.keepAlive && !c.halted()
	}
	stays := c.skip(&s) && rq.keepAlive && !c.halted()
	if c.account != nil {
		c.account.over()
	}
	c.logsLate = false
	return stays
}

// skip reads the rest of a body that is thrown away. It is false for a client that
// left, sent nothing for lingering_timeout, or broke its body.
func (c *client) skip(s *skipping) bool {
	c.doing.Store(lingering)
	chunked := c.rq.chunked
	from := &buffer{size: streamSize}
	defer from.drop()
	for {
		if c.sock.read(from, c.later(c.rules.Linger), c) != nil {
			return false
		}
		used, done, err := s.take(from.unread(), chunked)
		if err != nil {
			return false
		}
		from.r += used
		if done {
			c.unread(from.unread())
			return true
		}
		from.r, from.w = 0, 0
	}
}
