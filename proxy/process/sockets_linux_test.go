package process

import (
	"bufio"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// at asks a server at an address of its own.
func (s *site) at(network, address string) string {
	s.t.Helper()
	c, err := net.DialTimeout(network, address, patience)
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, body := (&conn{c, s.t, bufio.NewReader(c)}).ask("/")
	return body
}

// Several addresses: who answers is who listens there, also where one wildcard
// takes the clients of single addresses too; the default server is the one that
// says so.
func TestAddresses(t *testing.T) {
	six := "server { listen [::1]:PORT ipv6only=on; return 200 six; }"
	if l, err := net.Listen("tcp6", "[::1]:0"); err != nil {
		six = "" // this machine has no IPv6
	} else {
		_ = l.Close()
	}
	s := newSite(t, six+`
log_format where "$server_addr:$server_port $remote_addr";
access_log DIR/where.log where;
server { listen PORT; server_name any; return 200 wildcard; }
server { listen 127.0.0.2:PORT; return 200 two; }
server { listen 127.0.0.3:PORT; return 200 three; }
server { listen 127.0.0.3:PORT default_server; server_name d; return 200 default; }
server { listen unix:DIR/sock; return 200 unix; }
server { listen 127.0.0.4:OTHER reuseport backlog=16 rcvbuf=32k so_keepalive=on; return 200 other; }
`, "OTHER", fmt.Sprint(freePort(t)))
	s.start()
	port := fmt.Sprint(s.port)
	for address, want := range map[string]string{
		"127.0.0.1:" + port: "wildcard", "127.0.0.2:" + port: "two", "127.0.0.3:" + port: "default", "127.0.0.9:" + port: "wildcard", "[::1]:" + port: "six",
	} {
		if want == "six" && six == "" {
			continue
		}
		if got := s.at("tcp", address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	if got := s.at("unix", filepath.Join(s.dir, "sock")); got != "unix" {
		t.Errorf("unix: %q", got)
	}
	for _, want := range []string{"127.0.0.2:" + port + " 127.0.0.1\n", "unix:" + s.dir + "/sock: unix:\n"} {
		s.eventually(fmt.Sprintf("a line %q in where.log", want), func() bool { return strings.Contains(s.read("where.log"), want) })
	}
}
