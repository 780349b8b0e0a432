package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
)

// unique are the headers of a request of which a second line is answered with 400
// (ngx_http_process_unique_header_line), with what asks whether a version does so,
// nil where all do.
var unique = [...]struct {
	name  string
	since func(upstream.Version) bool
}{
	{"Host", upstream.Version.RefusesSecondHost},
	{"Expect", nil},
	{"If-Match", nil},
	{"If-Range", nil},
	{"If-None-Match", nil},
	{"Content-Range", upstream.Version.RefusesSecondRange},
	{"Authorization", nil},
	{"Content-Length", nil},
	{"If-Modified-Since", nil},
	{"Transfer-Encoding", upstream.Version.RefusesSecondCoding},
	{"If-Unmodified-Since", nil},
	{"Proxy-Authorization", upstream.Version.RefusesSecondProxyAuthorization},
}

// Unique are those headers of a request of which there may be one. The zero value has
// seen none.
type Unique uint16

// Repeats notes a header, and says whether it is one too many for a version of nginx.
func (u *Unique) Repeats(v upstream.Version, name []byte) bool {
	for i := range unique {
		h := &unique[i]
		if len(name) != len(h.name) || !strings.EqualFold(string(name), h.name) {
			continue
		}
		had := *u&(1<<i) != 0
		*u |= 1 << i
		return had && (h.since == nil || h.since(v))
	}
	return false
}
