package nginx

import (
	"cmp"
	"sort"
	"time"

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
		timeout := orElse(cfg.Timeout, time.Minute)
		cache := caches[k]
		switch {
		case a.start:
			for i := len(cache) - 1; i >= 0; i-- {
				if cache[i].addr == a.s.addr && a.at-cache[i].since < timeout {
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
			if c.requests >= cmp.Or(cfg.Requests, 1000) || a.at-c.opened > orElse(cfg.Time, time.Hour) {
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

// orElse is a duration in milliseconds, or its default where it is 0.
func orElse(d, otherwise time.Duration) int64 { return cmp.Or(d, otherwise).Milliseconds() }

// keepalive gives the cache of an upstream. Since 1.29.7 every upstream block
// has one of 32 connections unless it says otherwise.
func (n names) keepalive(b binary) keepaliveOf {
	return func(name string) upstream.KeepaliveConfig {
		u := n.upstreams[name]
		if u == nil {
			return upstream.KeepaliveConfig{}
		}
		cfg := u.Keepalive
		implicit := len(u.Servers) == 1 && u.Servers[0].Name == u.Name
		if cfg.Connections == 0 && !implicit && b.atLeast(1, 29, 7) {
			cfg.Connections = 32
		}
		return cfg
	}
}

// keepaliveOf gives the cache of idle connections that an upstream has.
type keepaliveOf func(upstream string) upstream.KeepaliveConfig
