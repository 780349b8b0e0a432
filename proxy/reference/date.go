package reference

import (
	"net/http"
	"sync/atomic"
	"time"
)

// dateCache is the Date header of the present second.
type dateCache struct{ last atomic.Pointer[dated] }

type dated struct {
	second int64
	text   string
}

func (d *dateCache) append(b []byte) []byte {
	now := time.Now()
	v := d.last.Load()
	if v == nil || v.second != now.Unix() {
		v = &dated{now.Unix(), now.UTC().Format(http.TimeFormat)}
		d.last.Store(v)
	}
	return append(b, v.text...)
}
