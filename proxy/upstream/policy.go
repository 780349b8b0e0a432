package upstream

import (
	"fmt"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Flags is the set given to proxy_next_upstream. The zero value is nginx's
// default, error timeout.
type Flags uint16

// The flags, named as in the configuration.
const (
	Error Flags = 1 << iota
	Timeout
	InvalidHeader
	HTTP500
	HTTP502
	HTTP503
	HTTP504
	HTTP403
	HTTP404
	HTTP429
	NonIdempotent
	// Off wins over every other flag.
	Off
)

var flagNames = []struct {
	flag Flags
	name string
}{
	{Error, "error"}, {Timeout, "timeout"}, {InvalidHeader, "invalid_header"},
	{HTTP500, "http_500"}, {HTTP502, "http_502"}, {HTTP503, "http_503"}, {HTTP504, "http_504"},
	{HTTP403, "http_403"}, {HTTP404, "http_404"}, {HTTP429, "http_429"},
	{NonIdempotent, "non_idempotent"}, {Off, "off"},
}

// ParseFlag returns the flag of one parameter of proxy_next_upstream.
func ParseFlag(name string) (Flags, error) {
	for _, f := range flagNames {
		if f.name == name {
			return f.flag, nil
		}
	}
	return 0, fmt.Errorf("invalid value %q", name)
}

// String is the directive's parameters.
func (f Flags) String() string {
	var names []string
	for _, n := range flagNames {
		if f&n.flag != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, " ")
}

// allows says whether everything in need is permitted.
func (f Flags) allows(need Flags) bool {
	if f == 0 {
		f = Error | Timeout
	}
	return f&Off == 0 && f&need == need
}

// statusFlag is the flag that lists a status, 0 for one that can't be listed.
func statusFlag(status int) Flags {
	switch status {
	case 500:
		return HTTP500
	case 502:
		return HTTP502
	case 503:
		return HTTP503
	case 504:
		return HTTP504
	case 403:
		return HTTP403
	case 404:
		return HTTP404
	case 429:
		return HTTP429
	}
	return 0
}

// Policy is what a location says about passing a request on. The zero value is
// nginx's default.
type Policy struct {
	// Next is proxy_next_upstream.
	Next Flags
	// Tries is proxy_next_upstream_tries: attempts in all, 0 is no limit.
	Tries int
	// Timeout is proxy_next_upstream_timeout; 0 is no limit. It is looked at
	// only when an attempt has failed and never interrupts one.
	Timeout time.Duration
	// Unbuffered is true for a request whose body is streamed
	// (proxy_request_buffering off): once sent it can't be sent again.
	Unbuffered bool
}

// failure says how nginx classes a failed attempt: its flag, and whether the
// request had been sent (request_sent is set just before the first write).
func failure(o event.Outcome) (flag Flags, sent bool) {
	switch o {
	case event.Refused:
		return Error, false
	case event.ConnectTimeout:
		return Timeout, false
	case event.SendTimeout, event.ReadTimeout:
		return Timeout, true
	case event.InvalidHeader:
		return InvalidHeader, true
	case event.Reset, event.Closed:
		return Error, true
	}
	panic("upstream: " + o.String() + " is no failure of the header phase")
}

// clientStatus is what nginx answers when it gives up after such a failure.
func clientStatus(f Flags) int {
	if f == Timeout {
		return 504
	}
	return 502
}

// listedStatus is what nginx notes for a listed status that it gives up.
func (v Version) listedStatus(status int) int {
	if v.HasListed502() && (status == 503 || status == 504) {
		return 502
	}
	return status
}

// idempotent is false for the methods that nginx doesn't repeat once sent
// unless non_idempotent is listed (ngx_http_upstream_next, since 1.9.13).
func idempotent(method string) bool {
	return method != "POST" && method != "LOCK" && method != "PATCH"
}
