package nginx

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// ports are the loopback addresses that nginx listens on instead of the user's.
//
// We bind and listen ourselves and hand the sockets down, named in the
// environment variable NGINX, as nginx does for its own binary upgrade
// (ngx_add_inherited_sockets). So no other program can take a port between
// finding it and using it, and a client that connects before the first worker
// runs just waits.
type ports struct {
	addresses []string // aligned with what was asked for
	files     []*os.File
}

// reserve binds n loopback ports.
func reserve(n int) (*ports, error) {
	p := &ports{}
	for range n {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			p.release()
			return nil, &PortError{err.Error()}
		}
		f, err := l.(*net.TCPListener).File()
		p.addresses = append(p.addresses, l.Addr().String())
		l.Close() // f is a second descriptor of the same socket
		if err != nil {
			p.release()
			return nil, &PortError{err.Error()}
		}
		p.files = append(p.files, f)
	}
	return p, nil
}

// release closes our descriptors; nginx keeps its own.
func (p *ports) release() {
	for _, f := range p.files {
		f.Close()
	}
	p.files = nil
}

// inherit is the value of NGINX for sockets that a child gets as descriptors 3, 4, ...
func (p *ports) inherit() string {
	var b strings.Builder
	for i := range p.files {
		fmt.Fprintf(&b, "%d;", 3+i)
	}
	return b.String()
}
