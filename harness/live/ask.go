package live

import (
	"bytes"
	"net"
	"strconv"

	"github.com/nolive/nolive/harness/answer"
	"github.com/nolive/nolive/harness/scenario"
)

// filler is what request bodies consist of; nobody writes to it.
var filler = bytes.Repeat([]byte("x"), scenario.ChunkSize)

// ask sends request n on a connection and reads its answer. Failing to send is
// no failure by itself: a server may answer, and close, before it has read
// everything, and what it said counts.
func (c *client) ask(cn *conn, n int) answer.Answer {
	b := c.head.append(cn.scratch[:0], n)
	left := upload{c.spec.Body, c.spec.Chunked}
	for left.size > 0 && c.spec.Body <= scenario.OneWrite {
		b = left.append(b)
	}
	cn.scratch = b[:0]
	_, err := cn.stream.Write(b)
	cn.asked = err == nil
	if err != nil || left.size == 0 {
		a := cn.readAnswer(c.spec.Method)
		a.Keep = a.Keep && err == nil
		return a
	}
	// The answer is read while the body still goes out, as the server may not
	// wait for its end.
	sent := make(chan bool, 1)
	go func() { sent <- left.write(cn.stream) }()
	a := cn.readAnswer(c.spec.Method)
	_ = cn.tcp.SetWriteDeadline(past)
	a.Keep = <-sent && a.Keep
	return a
}

// upload is what is still to be sent of a body.
type upload struct {
	size    int64
	chunked bool
}

// append appends the next piece as it goes over the wire: a chunk, where there are
// any, and behind the last one the end.
func (u *upload) append(b []byte) []byte {
	data := filler[:min(u.size, int64(len(filler)))]
	u.size -= int64(len(data))
	if !u.chunked {
		return append(b, data...)
	}
	b = strconv.AppendInt(b, int64(len(data)), 16)
	b = append(append(append(b, "\r\n"...), data...), "\r\n"...)
	if u.size == 0 {
		b = append(b, "0\r\n\r\n"...)
	}
	return b
}

// write sends it and says whether all of it went out.
func (u *upload) write(w net.Conn) bool {
	var b []byte
	for u.size > 0 {
		b = u.append(b[:0])
		if _, err := w.Write(b); err != nil {
			return false
		}
	}
	return true
}
