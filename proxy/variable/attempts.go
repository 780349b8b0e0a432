package variable

import (
	"strconv"
	"time"
)

// attempts reads one thing of every attempt: ", " between attempts, " : " where
// an internal redirect lies between them (ngx_http_upstream_addr_variable).
func attempts(one func(b []byte, a *Attempt) []byte) reader {
	return func(b []byte, f Facts, _ string) ([]byte, bool) {
		rs := f.Response()
		if rs == nil || len(rs.Attempts) == 0 {
			return b, false
		}
		all := rs.Attempts
		for i := 0; ; {
			a := all[i]
			if f.Request().FillsTimes {
				a.fill()
			}
			b = one(b, &a)
			if i++; i == len(all) {
				return b, true
			}
			if all[i].Peer != "" {
				b = append(b, ", "...)
				continue
			}
			b = append(b, " : "...)
			if i++; i == len(all) {
				return b, true
			}
		}
	}
}

// fill is what ngx_http_upstream_response_time_variable made of times before 1.15.7.
func (a *Attempt) fill() {
	if a.Status == 0 {
		a.Connect, a.Header, a.Response = Never, Never, Never
	}
	if a.Connect == Never {
		a.Connect = a.Response
	}
	if a.Header == Never {
		a.Header = a.Response
	}
}

func peer(b []byte, a *Attempt) []byte { return append(b, a.Peer...) }

func attemptStatus(b []byte, a *Attempt) []byte {
	if a.Status == 0 {
		return append(b, '-')
	}
	return strconv.AppendInt(b, int64(a.Status), 10)
}

func connectTime(b []byte, a *Attempt) []byte  { return appendTime(b, a.Connect) }
func headerTime(b []byte, a *Attempt) []byte   { return appendTime(b, a.Header) }
func responseTime(b []byte, a *Attempt) []byte { return appendTime(b, a.Response) }

func appendTime(b []byte, d time.Duration) []byte {
	if d == Never {
		return append(b, '-')
	}
	return appendSeconds(b, d)
}

func length(b []byte, a *Attempt) []byte   { return strconv.AppendInt(b, a.Length, 10) }
func received(b []byte, a *Attempt) []byte { return strconv.AppendInt(b, a.Received, 10) }
func sent(b []byte, a *Attempt) []byte     { return strconv.AppendInt(b, a.Sent, 10) }
