package nginx

import (
	"testing"

	"github.com/nolive/nolive/harness/event"
)

// nginx's words for every way in which an attempt ends.
func TestCause(t *testing.T) {
	for text, want := range map[string][2]event.Outcome{
		"[error] connect() failed (111: Connection refused) while connecting to upstream":                                {event.Refused},
		"[error] connect() failed (113: No route to host) while connecting to upstream":                                  {event.Refused},
		"[error] connect() failed (104: Connection reset by peer) while connecting to upstream":                          {event.Refused},
		"[crit] connect() to unix:/no failed (2: No such file or directory) while connecting to upstream":                {event.Refused},
		"[error] upstream timed out (110: Connection timed out) while connecting to upstream":                            {event.ConnectTimeout},
		"[error] upstream timed out (110: Operation timed out) while SSL handshaking to upstream":                        {event.ConnectTimeout},
		"[error] SSL_do_handshake() failed (SSL: error) while SSL handshaking to upstream":                               {event.Refused},
		"[error] upstream timed out (110: Connection timed out) while sending request to upstream":                       {event.SendTimeout},
		"[error] writev() failed (32: Broken pipe) while sending request to upstream":                                    {event.Reset},
		"[error] upstream timed out (110: Connection timed out) while reading response header from upstream":             {event.ReadTimeout},
		"[error] recv() failed (104: Connection reset by peer) while reading response header from upstream":              {event.Reset},
		"[error] upstream prematurely closed connection while reading response header from upstream":                     {event.Closed},
		"[error] upstream sent invalid header while reading response header from upstream":                               {event.InvalidHeader},
		`[error] upstream sent invalid header: "no\x20..." while reading response header from upstream`:                  {event.InvalidHeader},
		"[error] upstream sent too big header while reading response header from upstream":                               {event.InvalidHeader},
		`[error] upstream sent duplicate header line: "Content-Length: 1" while reading response header from upstream`:   {event.InvalidHeader},
		"[error] upstream sent no valid HTTP/1.0 header while reading response header from upstream":                     {},
		"[error] upstream prematurely closed connection while reading upstream":                                          {event.Truncated, event.Closed},
		"[error] readv() failed (104: Connection reset by peer) while reading upstream":                                  {event.Truncated, event.Reset},
		"[error] recv() failed (104: Connection reset by peer) while reading upstream":                                   {event.Truncated, event.Reset},
		"[error] upstream timed out (110: Connection timed out) while reading upstream":                                  {event.Truncated, event.ReadTimeout},
		"[error] upstream sent invalid chunked response while reading upstream":                                          {event.Truncated, event.Closed},
		"[error] upstream sent invalid chunked response while reading response header from upstream":                     {event.Truncated, event.Closed},
		"[error] upstream prematurely closed connection while sending to client":                                         {event.Truncated, event.Closed},
		"[error] recv() failed (104: Connection reset by peer) while sending to client":                                  {event.Truncated, event.Reset},
		"[error] send() failed (104: Connection reset by peer) while sending to client":                                  {},
		"[warn] upstream sent more data than specified in \"Content-Length\" header while reading upstream":              {},
		"[warn] an upstream response is buffered to a temporary file /x while reading upstream":                          {},
		"[warn] upstream server temporarily disabled while reading response header from upstream":                        {},
		"[error] no live upstreams while connecting to upstream":                                                         {},
		"[info] client prematurely closed connection, so upstream connection is closed too while connecting to upstream": {},
		`[error] open() "/x" failed (2: No such file or directory)`:                                                      {},
	} {
		e, ok := parseErrorLine("2030/01/01 00:00:03 " + text[:indexSpace(text)] + " 12#12: *7" + text[indexSpace(text):] + `, client: 127.0.0.1, server: , request: "GET / HTTP/1.1", upstream: "http://127.0.0.1:4001/", host: "x"`)
		o, how := e.cause()
		if !ok || o != want[0] || how != want[1] {
			t.Errorf("%s: %v %v, want %v", text, o, how, want)
		}
	}
}

func indexSpace(s string) int {
	for i := range s {
		if s[i] == ' ' {
			return i
		}
	}
	return len(s)
}

func TestParseErrorLine(t *testing.T) {
	e, ok := parseErrorLine(`2030/01/01 00:00:44 [warn] 11#12: *4 upstream server temporarily disabled while connecting to upstream, client: 127.0.0.1, server: s, request: "GET /, upstream: HTTP/1.1", upstream: "http://127.0.0.1:18003/hang?a", host: "h"`)
	if !ok || e.second != 1893456044 || e.level != "warn" || e.pid != 11 || e.connection != 4 || e.addr != "127.0.0.1:18003" || !e.marks() ||
		e.head != "upstream server temporarily disabled while connecting to upstream" {
		t.Errorf("%+v", e)
	}
	for text, want := range map[string]bool{
		"2030/01/01 00:00:44 [warn] 12#12: 512 worker_connections are not enough, reusing connections":           true,
		"2030/01/01 00:00:44 [warn] 12#12: *7 upstream server temporarily disabled while connecting to upstream": false,
	} {
		if e, ok := parseErrorLine(text); !ok || e.alert() != want {
			t.Errorf("%s: alert %v, want %v", text, e.alert(), want)
		}
	}
	e, ok = parseErrorLine("2030/01/01 00:00:44 [alert] 11#11: worker process 12 exited on signal 11")
	if !ok || e.connection != 0 || !e.alert() || e.message != "worker process 12 exited on signal 11" || e.addr != "" {
		t.Errorf("%+v", e)
	}
	for _, s := range []string{"", "x", "2030/01/01 00:00:44", "2030/01/01 00:00:44 [warn", "2030/13/01 00:00:44 [warn] 1#1: x", "2030/01/01 00:00:44 [warn] a#b: x", "2030/01/01 00:00:44 [warn] 1#1 x"} {
		if e, ok := parseErrorLine(s); ok {
			t.Errorf("%q: %+v", s, e)
		}
	}
}

func TestUpstreamOf(t *testing.T) {
	for s, want := range map[string]string{
		`x, upstream: "http://u/path", host: "h"`:                   "u",
		`x, upstream: "http://127.0.0.1:80", host: "h"`:             "127.0.0.1:80",
		`x, upstream: "http://[::1]:80/a:/b", host: "h"`:            "[::1]:80",
		`x, upstream: "http://unix:/run/a.sock:/", host: "h"`:       "unix:/run/a.sock",
		`x, upstream: "http://unix:/run/a.sock/b", host: "h"`:       "unix:/run/a.sock",
		`x, upstream: "unix:/run/a.sock", bytes from/to client:0/0`: "unix:/run/a.sock",
		`x, upstream: "127.0.0.1:80"`:                               "127.0.0.1:80",
		`x, host: "h"`:                                              "",
	} {
		if got := upstreamOf(s); got != want {
			t.Errorf("%s: %q, want %q", s, got, want)
		}
	}
}

func FuzzErrorLine(f *testing.F) {
	f.Add(`2030/01/01 00:00:44 [error] 11#12: *4 upstream timed out (110: x) while reading upstream, client: , upstream: "http://unix:/`)
	f.Add("2030/01/01 00:00:44 [error] 11#12: *4 ")
	n := names{backends: map[string]string{"127.0.0.1:1": "a"}}
	f.Fuzz(func(t *testing.T, line string) {
		if e, ok := parseErrorLine(line); ok {
			e.cause()
			n.restore(e.message)
		}
	})
}
