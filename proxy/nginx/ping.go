package nginx

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// reading is one look at nginx's clock: somewhere between before and after it
// showed msec, cut to whole milliseconds since 1970.
type reading struct {
	before, after time.Time
	msec          int64
}

// pinger asks our own server block what time it is.
type pinger struct {
	address string
	conn    net.Conn
	buf     *bufio.Reader
}

// pingTimeout is how long an answer may take; nginx answers from memory.
const pingTimeout = 5 * time.Second

func (p *pinger) ping(ctx context.Context) (reading, error) {
	r, err := p.ask(ctx)
	if err != nil {
		p.close()
		return r, fmt.Errorf("nginx's clock at %s: %w", p.address, err)
	}
	return r, nil
}

func (p *pinger) ask(ctx context.Context) (r reading, err error) {
	if p.conn == nil {
		var d net.Dialer
		if p.conn, err = d.DialContext(ctx, "tcp", p.address); err != nil {
			return r, err
		}
		p.buf = bufio.NewReader(p.conn)
	}
	deadline := time.Now().Add(pingTimeout)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	p.conn.SetDeadline(deadline)
	conn := p.conn // close forgets p.conn, perhaps before this is called
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()

	r.before = time.Now()
	if _, err := io.WriteString(p.conn, "GET / HTTP/1.1\r\nHost: clock\r\n\r\n"); err != nil {
		return r, err
	}
	if _, err := p.buf.Peek(1); err != nil {
		return r, err
	}
	r.after = time.Now()
	resp, err := http.ReadResponse(p.buf, nil)
	if err != nil {
		return r, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return r, err
	}
	r.msec, err = parseMsec(strings.TrimSpace(string(body)))
	return r, err
}

func (p *pinger) close() {
	if p.conn != nil {
		p.conn.Close()
		p.conn = nil
	}
}

// parseMsec reads nginx's "seconds.milliseconds" exactly.
func parseMsec(s string) (int64, error) {
	sec, ms, ok := strings.Cut(s, ".")
	if !ok || len(ms) != 3 {
		return 0, fmt.Errorf("%q is no time of nginx", s)
	}
	n, err := strconv.ParseInt(sec+ms, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no time of nginx", s)
	}
	return n, nil
}

func itoa(n int) string { return strconv.Itoa(n) }
