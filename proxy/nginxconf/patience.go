package nginxconf

import "time"

// patience is what a level says about how long and how often it is tried, of http
// and of stream alike; nil is "nothing, inherit".
type patience struct {
	// connect is proxy_connect_timeout, limit proxy_next_upstream_timeout, tries
	// proxy_next_upstream_tries.
	connect, limit *time.Duration
	tries          *int
}

// unbounded are nginx's defaults.
func unbounded() patience {
	minute, none, tries := time.Minute, time.Duration(0), 0
	return patience{&minute, &none, &tries}
}

// read takes a directive in if it is one of these. Its form was checked.
func (p *patience) read(d *Directive) bool {
	switch d.Name.Text {
	case "proxy_connect_timeout":
		p.connect = timeOf(d)
	case "proxy_next_upstream_timeout":
		p.limit = timeOf(d)
	case "proxy_next_upstream_tries":
		if n, ok := count(d.Arg(0)); ok {
			p.tries = &n
		}
	default:
		return false
	}
	return true
}

func (p patience) over(outer patience) patience {
	inherit(&p.connect, outer.connect)
	inherit(&p.limit, outer.limit)
	inherit(&p.tries, outer.tries)
	return p
}
