package cases

import (
	"fmt"
	"slices"
	"strings"
)

// flags are what proxy_next_upstream takes, with their weights.
var flags = []choice[string]{
	{20, "error"}, {20, "timeout"}, {8, "invalid_header"}, {8, "http_500"}, {6, "http_502"}, {12, "http_503"},
	{6, "http_504"}, {5, "http_403"}, {7, "http_404"}, {5, "http_429"}, {8, "non_idempotent"},
}

// location draws the location's directives.
func (c *Case) location(d *dice) {
	add := func(format string, args ...any) { c.Location = append(c.Location, fmt.Sprintf(format, args...)) }
	if d.chance(10) {
		c.URI = of(d, "/", "/in/")
	}
	add("proxy_read_timeout %s", of(d, "450ms", "650ms", "1050ms", "1450ms"))
	c.connects(d)
	if d.chance(20) {
		add("proxy_send_timeout %s", of(d, "450ms", "1050ms"))
	}
	if d.chance(55) {
		add("proxy_next_upstream %s", strings.Join(c.next(d), " "))
	}
	c.tries(d)
	if d.chance(12) {
		c.streamed(d)
	}
	if c.byAddress() && d.chance(40) {
		c.realIP(d)
	}
	if d.chance(15) {
		add("keepalive_timeout %s", of(d, "0", "350ms", "1050ms", "2050ms 2"))
	}
	if d.chance(8) {
		add("proxy_ignore_client_abort on")
	}
	if d.chance(8) {
		add("proxy_buffering off")
	}
	if d.chance(8) {
		add("proxy_buffer_size %s", of(d, "1k", "8k"))
	}
}

// connects draws how long a connect may take.
func (c *Case) connects(d *dice) {
	limit := "2250ms"
	if d.chance(40) || c.blackholed() {
		// Below a second: when a SYN is sent again depends on the kernel.
		limit = of(d, "450ms", "850ms")
	}
	c.Location = append(c.Location, "proxy_connect_timeout "+limit)
}

// tries draws how often, and for how long, another peer is tried.
func (c *Case) tries(d *dice) {
	if d.chance(18) {
		c.Location = append(c.Location, fmt.Sprintf("proxy_next_upstream_tries %d", d.between(1, 3)))
	}
	if d.chance(12) {
		c.Location = append(c.Location, "proxy_next_upstream_timeout "+of(d, "350ms", "550ms", "1150ms"))
	}
}

// unbuffered is the directive by which bodies are passed on as they come.
const unbuffered = "proxy_request_buffering off"

// http11 is the directive by which backends are asked in HTTP/1.1.
const http11 = "proxy_http_version 1.1"

// streamed lets bodies be passed on as they come. With a small buffer that is so
// for small ones too.
func (c *Case) streamed(d *dice) {
	c.Location = append(c.Location, unbuffered)
	if d.chance(40) {
		c.Location = append(c.Location, "client_body_buffer_size 1k")
	}
	if !slices.Contains(c.Location, http11) && d.chance(60) {
		c.Location = append(c.Location, http11)
	}
}

// realIP takes the client's address from a header.
func (c *Case) realIP(d *dice) {
	c.Location = append(c.Location, "set_real_ip_from "+of(d, "127.0.0.0/8", "127.0.0.0/8", "127.0.0.1"), "real_ip_header "+of(d, "X-Forwarded-For", "X-Real-IP"))
	if d.chance(40) {
		c.Location = append(c.Location, "real_ip_recursive on")
	}
}

// pages draws what takes the place of errors: the proxy's own, and those of
// backends if they are intercepted.
func (c *Case) pages(d *dice) {
	if !d.chance(9) {
		return
	}
	if d.chance(60) {
		c.Location = append(c.Location, "proxy_intercept_errors on")
	}
	c.Page = of(d, "502", "502 504", "503", "500 502 503 504", "404 502", "503 504") + of(d, "", " =", " =200") + " " + of(d, sorry, again)
	if strings.HasSuffix(c.Page, again) {
		// From a run nobody can tell a request that comes to its group again from one
		// that goes on: it has to be the simulator's.
		if c.draws() || c.Workers > 1 || d.chance(50) {
			c.ofItsOwn()
		}
		c.Again = append(c.Again, "proxy_read_timeout "+of(d, "450ms", "1050ms"), "proxy_connect_timeout 850ms")
		if d.chance(30) {
			c.Again = append(c.Again, "proxy_next_upstream "+strings.Join(c.next(d), " "))
		}
	}
}

// ofItsOwn gives the error page a group of its own.
func (c *Case) ofItsOwn() {
	c.Second = []Server{{Name: c.Name + "-y:80", Params: []string{"fail_timeout=1s"}}, {Name: c.Name + "-z:80", Params: []string{"fail_timeout=2s"}}}
}

// session draws the directives of a server of stream.
func (c *Case) session(d *dice) {
	c.connects(d)
	c.Location = append(c.Location, "proxy_timeout "+of(d, "450ms", "650ms", "1050ms", "1450ms"))
	if d.chance(20) {
		c.Location = append(c.Location, "proxy_next_upstream off")
	}
	c.tries(d)
}

// blackholed says whether a backend drops SYNs at some time.
func (c *Case) blackholed() bool {
	for _, b := range c.Backends {
		for _, r := range b.Rules {
			if r.Do == "blackhole" {
				return true
			}
		}
	}
	return false
}

// next draws the flags of proxy_next_upstream.
func (c *Case) next(d *dice) []string {
	if d.chance(10) {
		return []string{"off"}
	}
	var out []string
	if d.chance(60) {
		out = append(out, "error", "timeout")
	}
	for range d.between(1, 4) {
		f := weighed(d, flags)
		if !strings.Contains(" "+strings.Join(out, " ")+" ", " "+f+" ") {
			out = append(out, f)
		}
	}
	return out
}
