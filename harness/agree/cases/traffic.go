package cases

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

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
	t.Words = append(t.Words, c.headers(d)...)
	var client []string
	if !c.Stream && d.chance(30) {
		client = append(client, "keepalive: true")
	}
	if d.chance(14) {
		client = append(client, "timeout: "+of(d, "350ms", "550ms", "950ms", "1750ms"))
	}
	old := d.chance(12)
	if old {
		client = append(client, `http: "1.0"`)
	}
	if method == "POST" || method == "PUT" || method == "PATCH" {
		t.Words = append(t.Words, c.body(d, !old)...)
	}
	if c.byAddress() || d.chance(5) {
		client = append(client, "address: "+of(d, fmt.Sprintf("127.0.%d.%d", d.below(9), d.between(1, 9)), "127.0.0.0/16", "[127.0.1.1..127.0.1.9, 127.3.0.0/24]"))
	}
	if len(client) > 0 {
		t.Words = append(t.Words, "client: {"+strings.Join(client, ", ")+"}")
	}
	return t
}

// headers draws what else a request's head has.
func (c *Case) headers(d *dice) []string {
	var out []string
	if d.chance(30) {
		out = append(out, fmt.Sprintf("X-User: u%d", d.below(9)))
	}
	for _, directive := range c.Location {
		if name, ok := strings.CutPrefix(directive, "real_ip_header "); ok && d.chance(85) {
			out = append(out, fmt.Sprintf("%s: %q", name, of(d,
				fmt.Sprintf("203.0.%d.%d", d.below(9), d.between(1, 9)), fmt.Sprintf("198.51.%d.7, 127.0.0.9", d.below(9)), "2001:db8::7", "unknown")))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return []string{"headers: {" + strings.Join(out, ", ") + "}"}
}

// body draws a request's body. Those that are streamed may be large: the kernel
// takes all of them. See Exceptions for others that are.
func (c *Case) body(d *dice, chunks bool) []string {
	size, chance := of(d, "1", "100", "3000", "10KiB"), 60
	if slices.Contains(c.Location, unbuffered) {
		size, chance = of(d, "100", "3000", "10KiB", "64KiB", "200KiB"), 85
		// Chunks aren't passed on in HTTP/1.0.
		chunks = chunks && slices.Contains(c.Location, http11)
	}
	switch {
	case !d.chance(chance):
		return nil
	case chunks && d.chance(35):
		return []string{"body: " + size, "framing: chunked"}
	}
	return []string{"body: " + size}
}

// Length bounds how long a case may take: beyond it, it is drawn again.
const Length = 12 * time.Second
