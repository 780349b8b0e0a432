package cases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// firstPort is the least of the ports that cases listen on, by their seeds; ports
// is how many there are. They are never bound: every engine gives a case a free
// port of its own.
const firstPort, ports = 10_000, 50_000

// Draw draws the case of a seed. A case that can't be used, because something in
// it lies on an edge, is drawn again with the next redraw.
func Draw(seed uint64, redraw int) *Case {
	d := newDice(seed, redraw)
	name := "s" + strconv.FormatUint(seed, 10)
	c := &Case{base: ms(1000*d.below(4) + 10*d.below(20)), Name: name, Listen: strconv.FormatUint(firstPort+seed%ports, 10), About: fmt.Sprintf("Drawn with seed %d.", seed)}
	c.group(d)
	c.faults(d)
	c.location(d)
	c.load(d)
	c.calm()
	return c
}

// calm takes out what is a race: see Exceptions of package agree.
func (c *Case) calm() {
	says := func(word string) bool {
		return slices.ContainsFunc(c.Backends, func(b Backend) bool {
			return slices.ContainsFunc(b.Rules, func(r Rule) bool { return strings.Contains(r.Do, word) })
		})
	}
	// Whether a connection that closes without a word pushes another one out of a small
	// cache before its end is noticed. After a HEAD nginx is done with the header, so
	// any end is one without a word.
	head := slices.ContainsFunc(c.Traffic, func(t Traffic) bool { return strings.HasPrefix(t.Request, "HEAD ") })
	for i, dir := range c.After {
		if (head || says("silent")) && strings.HasPrefix(dir, "keepalive ") {
			c.After[i] = "keepalive 8"
		}
	}
	// Whether nginx, having read the last chunk, reads on and meets the reset behind it.
	if says("framing: ") || says("malformed") || says("interim") {
		for _, b := range c.Backends {
			for i, r := range b.Rules {
				if strings.Contains(r.Do, "requests: ") {
					b.Rules[i].Do = strings.Replace(r.Do, ", with: reset", "", 1)
				}
			}
		}
	}
	// A client that gets the final response as the body of an interim one is done with
	// it before nginx is.
	if says("interim") {
		c.Location = slices.DeleteFunc(c.Location, func(d string) bool { return d == "proxy_buffering off" })
	}
}

// group draws the upstream block.
func (c *Case) group(d *dice) {
	n := weighed(d, []choice[int]{{12, 1}, {36, 2}, {28, 3}, {14, 4}, {10, 5}})
	method := weighed(d, []choice[string]{
		{44, ""}, {14, "least_conn"}, {6, "ip_hash"},
		{4, "hash $request_uri"}, {4, "hash $http_x_user"}, {3, "hash $arg_id$request_method"}, {3, "hash $remote_addr"}, {2, "hash $binary_remote_addr consistent"},
		{4, "hash $request_uri consistent"}, {4, "hash $http_x_user consistent"},
		{5, "random"}, {6, "random two"}, {2, "random two least_conn"},
	})
	if d.chance(12) {
		c.Workers = 2
	}
	if d.chance(15) || c.Workers > 1 && d.chance(40) {
		c.Block = append(c.Block, "zone "+c.Name+" 64k")
	}
	if method != "" {
		c.Block = append(c.Block, method)
	}
	backups := method == "" || method == "least_conn"
	for i := range n {
		c.Servers = append(c.Servers, c.server(d, i, backups))
	}
	if d.chance(35) {
		c.keepalive(d)
	}
}

// server draws one server line.
func (c *Case) server(d *dice, i int, backups bool) Server {
	s := Server{Name: fmt.Sprintf("%s-%c:80", c.Name, 'a'+i)}
	if i > 0 && !c.draws() && d.chance(4) {
		s.Name = c.Servers[0].Name // the same address again is a peer of its own
	}
	add := func(percent int, param string) {
		if d.chance(percent) {
			s.Params = append(s.Params, param)
		}
	}
	add(35, fmt.Sprintf("weight=%d", d.between(2, 5)))
	add(50, fmt.Sprintf("max_fails=%d", weighed(d, []choice[int]{{20, 0}, {20, 1}, {40, 2}, {20, 3}})))
	add(90, fmt.Sprintf("fail_timeout=%ds", weighed(d, []choice[int]{{10, 0}, {30, 1}, {25, 2}, {15, 3}, {10, 4}, {10, 5}})))
	add(8, fmt.Sprintf("max_conns=%d", d.between(1, 2)))
	switch {
	case d.chance(7):
		s.Params = append(s.Params, "down")
	case i > 0 && backups && d.chance(14):
		s.Params = append(s.Params, "backup")
	}
	return s
}

// draws says whether the block picks at random: then nobody can tell from a run
// which of two peers with the same address it was.
func (c *Case) draws() bool {
	return slices.ContainsFunc(c.Block, func(b string) bool { return strings.HasPrefix(b, "random") })
}

// keepalive draws the cache of idle connections, and whether the location uses it.
func (c *Case) keepalive(d *dice) {
	c.After = append(c.After, fmt.Sprintf("keepalive %d", weighed(d, []choice[int]{{30, 1}, {30, 2}, {40, 8}})))
	if d.chance(25) {
		c.After = append(c.After, fmt.Sprintf("keepalive_requests %d", d.between(1, 3)))
	}
	if d.chance(20) {
		c.After = append(c.After, "keepalive_timeout "+of(d, "750ms", "1550ms", "3050ms"))
	}
	if d.chance(15) {
		c.After = append(c.After, "keepalive_time "+of(d, "550ms", "2050ms"))
	}
	if d.chance(92) {
		c.Location = append(c.Location, "proxy_http_version 1.1")
	}
	if d.chance(92) {
		c.Location = append(c.Location, `proxy_set_header Connection ""`)
	}
}

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
	if d.chance(40) || c.blackholed() {
		// Below a second: when a SYN is sent again depends on the kernel.
		add("proxy_connect_timeout %s", of(d, "450ms", "850ms"))
	} else {
		add("proxy_connect_timeout 2250ms")
	}
	if d.chance(20) {
		add("proxy_send_timeout %s", of(d, "450ms", "1050ms"))
	}
	if d.chance(55) {
		add("proxy_next_upstream %s", strings.Join(c.next(d), " "))
	}
	if d.chance(18) {
		add("proxy_next_upstream_tries %d", d.between(1, 3))
	}
	if d.chance(12) {
		add("proxy_next_upstream_timeout %s", of(d, "350ms", "550ms", "1150ms"))
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

// load draws who sends what.
func (c *Case) load(d *dice) {
	for i := range weighed(d, []choice[int]{{45, 1}, {40, 2}, {15, 3}}) {
		c.Traffic = append(c.Traffic, c.traffic(d, i))
	}
}

// byAddress says whether the block picks by the client's address.
func (c *Case) byAddress() bool {
	for _, b := range c.Block {
		if b == "ip_hash" || strings.Contains(b, "remote_addr") {
			return true
		}
	}
	return false
}

// lanes are where in each 200 ms the requests of a traffic begin. Nearly all
// durations of a case are whole multiples of 100 ms, so that what happens to
// different traffics, and the edges of seconds, stay apart.
var lanes = []int{130, 195, 260}

func (c *Case) traffic(d *dice, i int) Traffic {
	t := Traffic{Name: fmt.Sprintf("%s-t%d", c.Name, i+1)}
	method := weighed(d, []choice[string]{{60, "GET"}, {22, "POST"}, {5, "PUT"}, {4, "HEAD"}, {3, "DELETE"}, {3, "PATCH"}, {3, "LOCK"}})
	t.Request = fmt.Sprintf("%s %s", method, of(d, "/", "/", "/a", fmt.Sprintf("/p%d?id=%d", d.below(9), d.below(9))))
	start := c.base + ms(lanes[i]+200*d.below(4))
	if d.chance(60) {
		t.Times, t.Start = d.between(2, 8), start
		t.Pause = of(d, ms(200), ms(200), ms(400), ms(600), ms(1000), ms(1200), ms(2200), ms(3000))
	} else {
		for at, n := start, d.between(2, 9); n > 0; n-- {
			t.At = append(t.At, at)
			at += of(d, ms(200), ms(200), ms(400), ms(600), ms(800), ms(1600), ms(2400), ms(4200))
		}
	}
	if d.chance(30) {
		t.Words = append(t.Words, fmt.Sprintf("headers: {X-User: u%d}", d.below(9)))
	}
	if method == "POST" || method == "PUT" || method == "PATCH" {
		if d.chance(60) {
			t.Words = append(t.Words, "body: "+of(d, "1", "100", "3000", "10KiB"))
		}
	}
	var client []string
	if d.chance(30) {
		client = append(client, "keepalive: true")
	}
	if d.chance(14) {
		client = append(client, "timeout: "+of(d, "350ms", "550ms", "950ms", "1750ms"))
	}
	if d.chance(12) {
		client = append(client, `http: "1.0"`)
	}
	if c.byAddress() || d.chance(5) {
		client = append(client, "address: "+of(d, fmt.Sprintf("127.0.%d.%d", d.below(9), d.between(1, 9)), "127.0.0.0/16", "[127.0.1.1..127.0.1.9, 127.3.0.0/24]"))
	}
	if len(client) > 0 {
		t.Words = append(t.Words, "client: {"+strings.Join(client, ", ")+"}")
	}
	return t
}

// Length bounds how long a case may take: beyond it, it is drawn again.
const Length = 12 * time.Second
