package sim

import (
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/proxy/wire"
)

// passage is a body on its way through nginx to the client: what has come of it and
// isn't passed on lies in a page that isn't full.
type passage struct {
	r    *reading
	body wire.Body
	// waiting is what lies there; of a body without chunks only how much counts.
	waiting []byte
	many    int
	read    int64 // on the wire, from the first byte of the response
}

// passage is that of the response, none of whose body was read.
func (r *reading) passage() passage {
	return passage{r: r, body: r.begin(), read: r.headEnd}
}

// take reads what has come by a sight, and says how much is passed on then, without its
// framing. The error is that of the framing.
func (p *passage) take(v fault.Sight) (passed int64, err error) {
	if came := max(v.Bytes-p.read, 0); p.body.Chunked() {
		p.waiting = p.r.script.Response.Append(p.waiting, p.read, came)
		p.many = len(p.waiting)
	} else {
		p.many += int(came)
	}
	p.read = max(p.read, v.Bytes)
	for {
		n := p.body.Ready(p.many, v.End == fault.Close)
		if n == 0 {
			return passed, nil
		}
		data, used, err := p.decode(n)
		if err != nil {
			return passed, err
		}
		passed += int64(data)
		p.many -= used
	}
}

// anything stands for a body's bytes where only their number counts, so that megabytes
// cost nothing.
var anything [64 << 10]byte

// decode takes the framing out of n bytes that wait.
func (p *passage) decode(n int) (data, used int, err error) {
	if p.body.Chunked() {
		data, used, err = p.body.Decode(p.waiting[:n])
		p.waiting = p.waiting[used:]
		return data, used, err
	}
	for used < n {
		d, u, err := p.body.Decode(anything[:min(n-used, len(anything))])
		if err != nil || u == 0 {
			return data, n, err // behind the end
		}
		data, used = data+d, used+u
	}
	return data, used, nil
}
