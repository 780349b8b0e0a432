package backends_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
)

// upgradeTo asks for a WebSocket with the key of RFC 6455, 1.3, and reads the head.
func upgradeTo(t *testing.T, c io.Writer, r *bufio.Reader) {
	t.Helper()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Header.Get("Sec-WebSocket-Accept"); res.StatusCode != 101 || res.Header.Get("Upgrade") != "websocket" || got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Errorf("got %d, %v", res.StatusCode, res.Header)
	}
}

func TestWebSocketEcho(t *testing.T) {
	s := start(t, backends.Options{Rules: always(t, &fault.UpgradeSpec{})})
	c := dial(t, s.Addr())
	r := bufio.NewReader(c)
	upgradeTo(t, c, r)
	long := strings.Repeat("nolive ", 20_000)
	size := string([]byte{0, 0, 0, 0, 0, 2, 0x22, 0xe0}) // 140000
	for _, f := range []struct{ what, sent, want string }{
		// The masked "Hello" is that of RFC 6455, 5.7.
		{"text", "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", "\x81\x05Hello"},
		{"a fragment", "\x01\x83\x00\x00\x00\x00Hel", "\x01\x03Hel"},
		{"a ping, answered by a pong", "\x89\x80\x01\x02\x03\x04", "\x8a\x00"},
		{"256 bytes", "\x82\xfe\x01\x00\x00\x00\x00\x00" + long[:256], "\x82\x7e\x01\x00" + long[:256]},
		{"140000 bytes", "\x82\xff" + size + "\x00\x00\x00\x00" + long, "\x82\x7f" + size + long},
	} {
		go io.WriteString(c, f.sent)
		got := make([]byte, len(f.want))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != f.want {
			t.Fatalf("%s: got %.40q and %v, want %.40q", f.what, got, err, f.want)
		}
	}
	send(t, c, "\x88\x80\x00\x00\x00\x00")
	if got, err := io.ReadAll(r); string(got) != "\x88\x00" || err != nil {
		t.Errorf("a close: got %q and %v", got, err)
	}
}

func TestUpgradesToOtherProtocols(t *testing.T) {
	s := start(t, backends.Options{Rules: always(t, &fault.UpgradeSpec{Protocol: "shout/2"})})
	c := dial(t, s.Addr())
	r := bufio.NewReader(c)
	send(t, c, get)
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != 101 || res.Header.Get("Upgrade") != "shout/2" {
		t.Fatalf("got %v, %v", res, err)
	}
	for _, word := range []string{"hello", "again"} {
		send(t, c, word)
		got := make([]byte, len(word))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != word {
			t.Fatalf("got %q and %v", got, err)
		}
	}
}

func TestWebSocketsThatStallOrAreCut(t *testing.T) {
	const lasts = 60 * time.Millisecond
	for want, spec := range map[string]*fault.UpgradeSpec{
		"timeout": {Then: "stall"}, "fin": {Then: "cut", Lasts: lasts}, "rst": {Then: "cut", Lasts: lasts, With: "reset"},
	} {
		s := start(t, backends.Options{Rules: always(t, spec)})
		c := dial(t, s.Addr())
		begun := time.Now()
		upgradeTo(t, c, bufio.NewReader(c))
		if want == "timeout" {
			send(t, c, "\x89\x80\x01\x02\x03\x04")
			c.SetReadDeadline(time.Now().Add(2 * lasts))
		}
		if got, how := rest(c); got != "" || how != want || time.Since(begun) < lasts {
			t.Errorf("got %q and %s after %v, want %s", got, how, time.Since(begun), want)
		}
	}
}
