package sim

import (
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/proxy/wire"
)

// passage is a body on its way through nginx to the client: what has come of it and
// isn't passed on lies in a page that isn't full.
type passage struct {
	r       *reading
	body    wire.Body
	waiting []byte
	read    int64 // on the wire, from the first byte of the response
}

// passage is that of the response, none of whose body was read.
func (r *reading) passage() passage {
	return passage{r: r, body: r.begin(), read: r.headEnd}
}

// take reads what has come by a sight, and says how much is passed on then, without its
// framing. The error is that of the framing.
func (p *passage) take(v fault.Sight) (passed int64, err error) {
	p.waiting = p.r.script.Response.Append(p.waiting, p.read, max(v.Bytes-p.read, 0))
	p.read = max(p.read, v.Bytes)
	for {
		n := p.body.Ready(len(p.waiting), v.End == fault.Close)
		if n == 0 {
			return passed, nil
		}
		data, used, err := p.body.Decode(p.waiting[:n])
		if err != nil {
			return passed, err
		}
		passed += int64(data)
		p.waiting = p.waiting[used:]
	}
}
