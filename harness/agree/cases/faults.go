package cases

import (
	"fmt"
	"slices"
	"strings"
)

// faults draws what the backends do wrong.
func (c *Case) faults(d *dice) {
	seen := map[string]bool{}
	for _, s := range append(slices.Clone(c.Servers), c.Second...) {
		if seen[s.Name] {
			continue
		}
		seen[s.Name] = true
		if b := (Backend{Name: s.Name, Rules: c.rules(d)}); len(b.Rules) > 0 {
			c.Backends = append(c.Backends, b)
		}
	}
}

// rules draws the rules of one backend.
func (c *Case) rules(d *dice) []Rule {
	var out []Rule
	for range weighed(d, []choice[int]{{14, 0}, {40, 1}, {31, 2}, {15, 3}}) {
		out = append(out, c.rule(d))
	}
	if d.chance(16) {
		out = append(out, Rule{Do: keeps(d)})
	}
	if d.chance(6) {
		out = append(out, Rule{of(d, "exchange: 2..", "exchange: 2", "connection: 1"), "{close_on_reuse: " + of(d, "fin", "reset", "blackhole") + "}"})
	}
	if d.chance(35) {
		out = append(out, Rule{Do: answer(d)})
	}
	return out
}

// rule draws one rule: a door for a while, a cut at accept, or a script.
func (c *Case) rule(d *dice) Rule {
	switch n := d.below(100); {
	case n < 14:
		from := c.millis() + 200*d.below(20)
		return Rule{fmt.Sprintf("from: %dms, until: %dms", from, from+of(d, 300, 700, 1500, 2500, 4700)), of(d, "refuse", "refuse", "freeze", "blackhole")}
	case n < 20:
		when := of(d, "connection: 1", "connection: 2..3", "connection: 2..", c.window(d), "share: 50%")
		// At once it is a race: see Exceptions.
		return Rule{when, of(d, "{close: {at: accept, after: 100ms}}", "{close: {at: accept, after: 300ms}}", "{reset: {at: accept, after: 100ms}}", "{reset: {at: accept, after: 300ms}}")}
	}
	if c.Page != "" && d.chance(25) {
		return Rule{c.when(d), c.elsewhere(d)}
	}
	return Rule{c.when(d), script(d)}
}

// elsewhere draws an answer that sends the request where the error page does.
func (c *Case) elsewhere(d *dice) string {
	to := sorry
	if strings.HasSuffix(c.Page, again) {
		to = again
	}
	return fmt.Sprintf("{respond: {status: %d, after: %s, headers: {X-Accel-Redirect: %q}}}", of(d, 200, 200, 204, 404, 503), pause(d), to)
}

// millis is the base in milliseconds.
func (c *Case) millis() int { return int(c.base.Milliseconds()) }

// keeps draws how long a backend keeps its connections.
func keeps(d *dice) string {
	words := of(d, "idle: 350ms", "idle: 1350ms", "requests: 1", "requests: 2", "requests: 3", "idle: 750ms, requests: 3")
	if strings.Contains(words, "requests") && d.chance(35) {
		words += ", silent: true"
	}
	if d.chance(25) {
		words += ", with: reset"
	}
	return "{keepalive: {" + words + "}}"
}

func (c *Case) window(d *dice) string {
	from := c.millis() + 200*d.below(25)
	return fmt.Sprintf("from: %dms, until: %dms", from, from+of(d, 500, 1100, 2300, 5000))
}

// when draws what selects a request.
func (c *Case) when(d *dice) string {
	switch n := d.below(100); {
	case n < 22:
		return fmt.Sprintf("request: %d", d.between(1, 4))
	case n < 40:
		lo := d.between(1, 4)
		return fmt.Sprintf("request: %d..%d", lo, lo+d.below(4))
	case n < 56:
		return fmt.Sprintf("request: %d..", d.between(1, 3))
	case n < 72:
		return fmt.Sprintf("every: %d", d.between(2, 3))
	case n < 82:
		return c.window(d)
	case n < 88:
		return fmt.Sprintf("exchange: %s", of(d, "2", "2..", "3"))
	case n < 91:
		return fmt.Sprintf("connection: %d", d.between(1, 3))
	}
	return "share: " + of(d, "30%", "50%", "80%")
}

// script draws what a backend does with a request.
func script(d *dice) string {
	return weighed(d, []choice[func() string]{
		{20, func() string { return "reset" }},
		{12, func() string { return "close" }},
		{16, func() string { return "hang" }},
		{22, func() string { return status(d) }},
		{6, func() string { return fmt.Sprintf("{reset: {at: %s}}", of(d, "header", "after_header", "body")) }},
		{6, func() string { return fmt.Sprintf("{close: {at: %s}}", of(d, "header", "after_header", "body")) }},
		{5, func() string {
			return fmt.Sprintf("{%s: {at: %s, after: %s, pause: %s}}", of(d, "reset", "close"), of(d, "header", "after_header", "body"), pause(d), pause(d))
		}},
		{4, func() string {
			return fmt.Sprintf("{drip: {every: %s, bytes: %d, what: %s}}", of(d, "100ms", "150ms", "350ms"), of(d, 5, 8, 12), of(d, "header", "body", "both"))
		}},
		{3, func() string {
			return fmt.Sprintf("{slow_pdf: {generate: %s, size: %s}}", pause(d), of(d, "2KiB", "200KiB"))
		}},
		{4, func() string { return fmt.Sprintf("[{wait: %s}, %s]", pause(d), of(d, "reset", "close", "hang")) }},
		{6, func() string { return answer(d) }},
		{5, func() string { return malformed(d) }},
		{4, func() string { return interim(d) }},
		{5, func() string { return padded(d) }},
		{5, func() string { return brokenChunks(d) }},
	})()
}

// pause draws how long something takes; none is a time-out of the proxy.
func pause(d *dice) string {
	return of(d, "100ms", "200ms", "300ms", "500ms", "700ms", "900ms", "1100ms", "1700ms", "2500ms")
}

func status(d *dice) string {
	code := weighed(d, []choice[int]{{20, 500}, {8, 502}, {30, 503}, {8, 504}, {6, 403}, {12, 404}, {8, 429}, {2, 501}, {2, 204}, {2, 304}, {2, 302}})
	if d.chance(30) {
		return fmt.Sprintf("{status: {code: %d, after: %s}}", code, pause(d))
	}
	return fmt.Sprintf("{status: %d}", code)
}
