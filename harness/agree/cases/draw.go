package cases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	c.Stream = d.chance(8)
	c.group(d)
	if !c.Stream {
		c.pages(d)
	}
	c.faults(d)
	if c.Stream {
		c.session(d)
	} else {
		c.location(d)
	}
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
		if (head || says("silent") || says("then: ")) && strings.HasPrefix(dir, "keepalive ") {
			c.After[i] = "keepalive 8"
		}
	}
	// Whether a response of about 100 KiB has been read when the second write to a client
	// that left fails.
	if slices.Contains(c.Location, "proxy_ignore_client_abort on") {
		for _, b := range c.Backends {
			for i := range b.Rules {
				b.Rules[i].Do = strings.Replace(b.Rules[i].Do, "size: 100KiB", "size: 400KiB", 1)
			}
		}
	}
	kept := slices.ContainsFunc(c.After, func(d string) bool { return strings.HasPrefix(d, "keepalive ") })
	// Whether a connection is used again at once whose backend closes it behind an answer
	// without a body that another location replaces.
	if kept && strings.HasSuffix(c.Page, again) && (head || says("X-Accel-Redirect")) {
		c.ofItsOwn()
	}
	// Whether the next answer's first bytes are read with the last ones of what is left of
	// an answer to HEAD, and lost.
	if kept && says("interim") {
		for i := range c.Traffic {
			if t := &c.Traffic[i]; strings.HasPrefix(t.Request, "HEAD ") {
				t.Request = "GET " + strings.TrimPrefix(t.Request, "HEAD ")
			}
		}
	}
	// A client that gets an interim response as the final one waits for another, for as
	// long as nginx keeps its connection: by default for 75 s.
	if waits := "keepalive_timeout "; says("interim") && !c.Stream && !slices.ContainsFunc(c.Location, func(d string) bool { return strings.HasPrefix(d, waits) }) {
		c.Location = append(c.Location, waits+"2050ms")
	}
	// Whether a client that gets the final response as the body of an interim one is done
	// with it before nginx is.
	if says("interim") {
		c.Location = slices.DeleteFunc(c.Location, func(d string) bool { return d == "proxy_buffering off" })
	}
}

// group draws the upstream block.
func (c *Case) group(d *dice) {
	n := weighed(d, []choice[int]{{12, 1}, {36, 2}, {28, 3}, {14, 4}, {10, 5}})
	method := weighed(d, []choice[string]{{50, ""}, {18, "least_conn"}, {12, "hash $remote_addr"}, {10, "hash $remote_addr consistent"}, {5, "random"}, {5, "random two"}})
	if !c.Stream {
		method = c.method(d)
	}
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
	if !c.Stream && d.chance(35) {
		c.keepalive(d)
	}
}

// method draws how peers are picked.
func (c *Case) method(d *dice) string {
	return weighed(d, []choice[string]{
		{44, ""}, {14, "least_conn"}, {6, "ip_hash"},
		{4, "hash $request_uri"}, {4, "hash $http_x_user"}, {3, "hash $arg_id$request_method"}, {3, "hash $remote_addr"}, {2, "hash $binary_remote_addr consistent"},
		{4, "hash $request_uri consistent"}, {4, "hash $http_x_user consistent"},
		{5, "random"}, {6, "random two"}, {2, "random two least_conn"},
	})
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
	add(12, fmt.Sprintf("max_conns=%d", d.between(1, 2)))
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
		c.Location = append(c.Location, http11)
	}
	if d.chance(92) {
		c.Location = append(c.Location, `proxy_set_header Connection ""`)
	}
}
