package reference

import (
	"math"
	"strconv"
	"strings"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// defaultBody is client_max_body_size without the directive: a larger request
// is answered with 413 and no backend hears of it.
const defaultBody = 1 << 20

// bodyLimit is client_max_body_size. The interpreted configuration doesn't have
// it, because it can't matter for failover once a request is let in; so where
// it is written in several places the largest one holds in all of them.
func bodyLimit(t *nginxconf.Tree) int64 {
	if t == nil {
		return defaultBody
	}
	limit := int64(-1)
	var walk func([]*nginxconf.Directive)
	walk = func(ds []*nginxconf.Directive) {
		for _, d := range ds {
			if d.Name.Text == "client_max_body_size" {
				if n, ok := size(d.Arg(0)); ok {
					limit = max(limit, n)
				}
			}
			walk(d.Children())
		}
	}
	walk(t.Top())
	if limit < 0 {
		return defaultBody
	}
	return limit
}

// size reads nginx's sizes, "8m"; 0 is no limit.
func size(s string) (int64, bool) {
	shift := 0
	switch {
	case s == "":
		return 0, false
	case strings.ContainsAny(s[len(s)-1:], "kK"):
		shift = 10
	case strings.ContainsAny(s[len(s)-1:], "mM"):
		shift = 20
	case strings.ContainsAny(s[len(s)-1:], "gG"):
		shift = 30
	}
	if shift > 0 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, false
	}
	if n == 0 {
		return math.MaxInt64, true
	}
	return n << shift, true
}
