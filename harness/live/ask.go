package live

import (
	"bytes"
	"net"

	"github.com/nolive/nolive/harness/scenario"
)

// filler is what request bodies consist of; nobody writes to it.
var filler = bytes.Repeat([]byte("x"), 32<<10)

// ask sends request n on a connection and reads its answer. Failing to send is
// no failure by itself: a server may answer, and close, before it has read
// everything, and what it said counts.
func (c *client) ask(cn *conn, n int) answer {
	b := c.head.append(cn.scratch[:0], n)
	body := c.spec.Body
	if body <= scenario.OneWrite {
		b = append(b, filler[:body]...)
		body = 0
	}
	cn.scratch = b[:0]
	_, err := cn.stream.Write(b)
	if err != nil || body == 0 {
		a := cn.readAnswer(c.question)
		a.keep = a.keep && err == nil
		return a
	}
	// The answer is read while the body still goes out, as the server may not
	// wait for its end.
	sent := make(chan bool, 1)
	go func() { sent <- writeBody(cn.stream, body) }()
	a := cn.readAnswer(c.question)
	_ = cn.tcp.SetWriteDeadline(past)
	a.keep = <-sent && a.keep
	return a
}

// writeBody writes size bytes and says whether they all went out.
func writeBody(w net.Conn, size int64) bool {
	for size > 0 {
		n, err := w.Write(filler[:min(size, int64(len(filler)))])
		if err != nil {
			return false
		}
		size -= int64(n)
	}
	return true
}
