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
		addr  string
		since int64
	}
	caches := map[place][]idle{}
	for _, a := range acts {
		k := place{a.x.pid, a.s.upstream}
		cfg := capacity(a.s.upstream)
		timeout := cfg.Timeout.Milliseconds()
		if timeout == 0 {
			timeout = 60_000
		}
		cache := caches[k]
		switch {
		case a.start:
			for i := len(cache) - 1; i >= 0; i-- {
				if cache[i].addr == a.s.addr && a.at-cache[i].since < timeout {
					a.s.cached = a.s.connect == 0
					// A new connection although one was idle: that one had died.
					cache = append(cache[:i:i], cache[i+1:]...)
					break
				}
			}
		case a.s.outcome == event.Passed && !a.x.close:
			cache = append(cache, idle{a.s.addr, a.at})
			if len(cache) > cfg.Connections {
				cache = cache[1:]
			}
		}
		caches[k] = cache
	}
}

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
