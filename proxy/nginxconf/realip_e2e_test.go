//go:build e2e

package nginxconf

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Real nginx has the same $remote_addr when it passes the request on.
func TestClientAsNginx(t *testing.T) {
	for _, c := range clientCases {
		t.Run(c.name, func(t *testing.T) {
			at := runNginx(t, strings.ReplaceAll(clientConfig(c.directives), "//127.0.0.1:1;", "//127.0.0.1:1/$remote_addr;"))
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 7)}}
			conn, err := d.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(5 * time.Second))
			fmt.Fprintf(conn, "GET / HTTP/1.0\r\n%s\r\n\r\n", strings.ReplaceAll(c.headers, "|", "\r\n"))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, _ := io.ReadAll(resp.Body); string(body) != "/"+c.want {
				t.Errorf("%s\n%s: nginx has %q, the table says %s", c.directives, c.headers, body, c.want)
			}
		})
	}
}
