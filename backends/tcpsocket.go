package backends

import (
	"net"
	"time"
)

// tcpSocket is a connection over TCP.
type tcpSocket struct{ *net.TCPConn }

var _ socket = tcpSocket{}

// rstPatience is how long the other side may take to make room for what was written,
// in real time.
const rstPatience = 5 * time.Second

func (s tcpSocket) abort() { s.SetLinger(0) }

// reset throws away what the kernel hasn't sent yet, so it waits until everything
// written is on its way.
func (s tcpSocket) reset(done <-chan struct{}) {
	end, pause := time.Now().Add(rstPatience), 100*time.Microsecond
	for unsent(s.TCPConn) > 0 && time.Now().Before(end) {
		select {
		case <-done:
			return
		case <-time.After(pause):
			pause = min(2*pause, 10*time.Millisecond)
		}
	}
	s.abort()
	s.Close()
}

// hold does nothing: TCP resets whatever was read.
func (s tcpSocket) hold() {}

// release does nothing.
func (s tcpSocket) release() {}
