package nginx

import (
	"sort"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// inferCached decides which attempts went out on a kept-alive connection, which
// nginx's logs don't say. $upstream_connect_time is 0.000 on such a connection,
// but on loopback a new one often takes no longer. So an attempt counts as
// cached when its connect time is 0.000 and the worker must have had an idle
// connection to that address: from an answer that was passed on whole without
// Connection: close, not taken since and not timed out.
//
// Not seen is a backend that closes an idle connection of its own accord.
func inferCached(xs []*exchange, capacity keepaliveOf) {
	type act struct {
		at    int64
		start bool
		x     *exchange
		s     *step
	}
	var acts []act
	for _, x := range xs {
		for i := range x.steps {
			if s := &x.steps[i]; !s.noLive && capacity(s.upstream).Connections > 0 {
				acts = append(acts, act{s.start, true, x, s}, act{s.end, false, x, s})
			}
		}
	}
	sort.SliceStable(acts, func(i, j int) bool { return acts[i].at < acts[j].at })

	type place struct {
		pid      int
		upstream string
	}
	type idle struct {
		addr          string
		opened, since int64
		requests      int // that it has carried
	}
	carries := map[*step]idle{} // the connection of an attempt that runs
	caches := map[place][]idle{}
	for _, a := range acts {
		k := place{a.x.pid, a.s.upstream}
		cfg := capacity(a.s.upstream)
		cache := caches[k]
		switch {
		case a.start:
			for i := len(cache) - 1; i >= 0; i-- {
				if cache[i].addr == a.s.addr && a.at-cache[i].since < cfg.Timeout.Milliseconds() {
					if a.s.cached = a.s.connect == 0; a.s.cached {
						carries[a.s] = cache[i]
					}
					// A new connection although one was idle: that one had died.
					cache = append(cache[:i:i], cache[i+1:]...)
					break
				}
			}
		case a.s.outcome == event.Passed && !a.x.close && !(a.x.unframed && !bodyless(a.s.status)):
			c, reused := carries[a.s]
			delete(carries, a.s)
			if !reused {
				c = idle{addr: a.s.addr, opened: a.s.start}
			}
			c.since = a.at
			c.requests++
			if c.requests >= cfg.Requests || a.at-c.opened > cfg.Time.Milliseconds() {
				break
			}
			cache = append(cache, c)
			if len(cache) > cfg.Connections {
				cache = cache[1:]
			}
		}
		caches[k] = cache
	}
}

// bodyless says whether a response with the status ends with its header.
func bodyless(status int) bool { return status == 204 || status == 304 }

// keepaliveOf gives the cache of idle connections that an upstream has, nginx's
// defaults filled in.
type keepaliveOf func(upstream string) upstream.KeepaliveConfig

// keepalive is a keepaliveOf.
func (n names) keepalive(name string) upstream.KeepaliveConfig {
	u := n.upstreams[name]
	if u == nil {
		return upstream.KeepaliveConfig{}
	}
	return u.Keepalive.For(u.Version)
}
