package wire

import "github.com/nolive/nolive/proxy/upstream"

// once are the headers of a response of which nginx takes the first line and, since
// 1.23.0, drops the others (ngx_http_upstream_process_header_line and its kin).
var once = [...]string{
	"Date", "ETag", "Server", "Status", "Expires", "Refresh", "Location", "Content-Type", "Last-Modified",
	"X-Accel-Expires", "X-Accel-Redirect", "X-Accel-Limit-Rate",
}

// Once are those headers that a response had. The zero value has seen none.
type Once uint16

// Repeats notes a header, and says whether a version of nginx drops it because it
// was there.
func (o *Once) Repeats(v upstream.Version, name []byte) bool {
	for i := range once {
		if Is(name, once[i]) {
			had := *o&(1<<i) != 0
			*o |= 1 << i
			return had && v.DropsRepeatedFields()
		}
	}
	return false
}
