package nginx

import (
	"net"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// The sockets listen, are closed by release, and stay non-blocking also after
// they were handed to a child: else nginx's workers get stuck in accept().
func TestReserve(t *testing.T) {
	p, err := reserve(2)
	if err != nil {
		t.Fatal(err)
	}
	defer p.release()
	if got := p.inherit(); got != "3;4;" {
		t.Errorf("%q", got)
	}
	cmd := exec.Command("true")
	cmd.ExtraFiles = p.files
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	for _, f := range p.files {
		flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
		if err != nil || flags&unix.O_NONBLOCK == 0 {
			t.Errorf("flags %o, %v: the socket blocks", flags, err)
		}
	}
	for _, a := range p.addresses {
		c, err := net.Dial("tcp", a)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	p.release()
	if c, err := net.Dial("tcp", p.addresses[0]); err == nil {
		c.Close()
		t.Error("still open")
	}
}
