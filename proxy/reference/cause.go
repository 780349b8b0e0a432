package reference

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// The texts of nginx that the model has no word for, because to it they are one
// outcome.

// numbered is a system error as nginx writes it behind a text; the words are
// glibc's.
func numbered(err error) string {
	var no syscall.Errno
	if !errors.As(err, &no) || no == 0 {
		return ""
	}
	words := no.Error()
	return fmt.Sprintf(" (%d: %s)", int(no), strings.ToUpper(words[:1])+words[1:])
}

// notConnected notes why there is no connection to a peer. What the kernel says
// at once names the peer (ngx_event_connect_peer), what it says later doesn't
// (ngx_http_upstream_test_connect).
func (k *cause) notConnected(err error, peer string) {
	var no syscall.Errno
	errors.As(err, &no)
	if strings.HasPrefix(peer, "unix:") || no == syscall.ENETUNREACH {
		k.text = "connect() to " + peer + " failed" + numbered(err)
	} else if no != syscall.ECONNREFUSED {
		k.text = "connect() failed" + numbered(err)
	}
	switch no {
	case syscall.ECONNREFUSED, syscall.EAGAIN, syscall.ECONNRESET, syscall.ENETDOWN, syscall.ENETUNREACH, syscall.EHOSTDOWN, syscall.EHOSTUNREACH:
	default:
		k.level = nginxconf.Crit
	}
}

// notSent notes that writing the request failed.
func (a *account) notSent(err error) {
	a.cause = cause{text: "writev() failed" + numbered(err), action: "sending request to upstream"}
}

// notReceived notes a failed read of the header.
func (a *account) notReceived(err error) {
	if n := numbered(err); n != "" {
		a.cause.text = "recv() failed" + n
	}
}

// left notes that the client left (ngx_http_upstream_check_broken_connection).
func (a *account) left() {
	a.broken, a.gone = true, true
	c := a.client
	no, _ := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	action := "sending request to upstream" // also while nothing has come back
	switch doing := c.doing.Load(); {
	case doing == connecting:
		action = "connecting to upstream"
	case doing == passing:
		action = "reading upstream"
	case !c.rb.empty():
		action = "reading response header from upstream"
	}
	a.note(nginxconf.Info, "epoll_wait() reported that client prematurely closed connection, so upstream connection is closed too"+
		numbered(syscall.Errno(no)), action)
}
