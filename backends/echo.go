package backends

import (
	"encoding/binary"
	"io"

	"github.com/nolive/nolive/backends/fault"
)

// echo sends back what comes until the other side ends the connection: frame by
// frame on a WebSocket, else as it is.
func (c *conn) echo(sc *fault.Script) {
	next := c.echoBytes
	if sc.WebSocket {
		next = c.echoFrame
	}
	for next() {
	}
	c.fin()
}

// echoBytes sends back what has come.
func (c *conn) echoBytes() bool {
	if _, err := c.in.Peek(1); err != nil {
		return false
	}
	b, _ := c.in.Peek(c.in.Buffered())
	_, err := c.to.Write(b)
	_, _ = c.in.Discard(len(b))
	return err == nil
}

// The opcodes of a WebSocket that an echo has to know (RFC 6455, 5.2).
const (
	closeFrame = 8
	pingFrame  = 9
	pongFrame  = 10
)

// echoFrame sends one frame back, without the mask that only clients use: a ping as
// a pong, a close as the last one. It says whether there may be another.
func (c *conn) echoFrame() bool {
	var head [2]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return false
	}
	opcode, length := head[0]&0xf, uint64(head[1]&0x7f)
	frame := []byte{head[0], head[1] & 0x7f}
	if extra := map[uint64]int{126: 2, 127: 8}[length]; extra > 0 {
		var b [8]byte
		if _, err := io.ReadFull(c.in, b[8-extra:]); err != nil {
			return false
		}
		length = binary.BigEndian.Uint64(b[:])
		frame = append(frame, b[8-extra:]...)
	}
	if opcode == pingFrame {
		frame[0] ^= pingFrame ^ pongFrame
	}
	var mask [4]byte
	if head[1]&0x80 != 0 {
		if _, err := io.ReadFull(c.in, mask[:]); err != nil {
			return false
		}
	}
	if _, err := c.to.Write(frame); err != nil {
		return false
	}
	buf := c.out[:cap(c.out)]
	for done := uint64(0); done < length; {
		part := buf[:min(uint64(len(buf)), length-done)]
		if _, err := io.ReadFull(c.in, part); err != nil {
			return false
		}
		for i := range part {
			part[i] ^= mask[(done+uint64(i))%4]
		}
		if _, err := c.to.Write(part); err != nil {
			return false
		}
		done += uint64(len(part))
	}
	return opcode != closeFrame
}
