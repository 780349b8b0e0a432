package variable

import (
	"strings"
	"testing"
	"time"
)

// asked is a request with everything known.
type asked struct {
	rq Request
	rs Response
}

func (a *asked) Request() *Request   { return &a.rq }
func (a *asked) Response() *Response { return &a.rs }

// lines is a Header of "Name: value" lines.
func lines(all ...string) Header {
	return func(yield func(name, value []byte) bool) {
		for _, l := range all {
			name, value, _ := strings.Cut(l, ": ")
			if !yield([]byte(name), []byte(value)) {
				return
			}
		}
	}
}

// example is a request that failed over, was redirected inside and failed again.
func example() *asked {
	zone := time.FixedZone("", -(3*3600 + 1800))
	return &asked{
		rq: Request{
			Line: `GET /a%20b?x=1&Y=2&x=3&e= HTTP/1.1`, Method: "GET", Target: "/a%20b?x=1&Y=2&x=3&e=", Path: "/a b", Args: "x=1&Y=2&x=3&e=",
			Protocol: "HTTP/1.1", Host: "example.com", ServerName: "www.example.com",
			Header: lines("Host: Example.com:8080", "X-Real-IP: 1.1.1.1", "x-real-ip: 2.2.2.2", "Cookie: a=1; bb = 2 ; c", "cookie: d=4,e=5",
				"X-Forwarded-For: 9.9.9.9", "X-Forwarded-For: 8.8.8.8", "Authorization: basic  YW5uOnNlY3JldA==", "User-Agent: a\"b\\c\x01é"),
			Client: Address{"127.0.0.1", "4242", []byte{127, 0, 0, 1}}, Server: Address{IP: "127.0.0.2", Port: "80"},
			Length: 123, Connection: 7, Requests: 2, Body: []byte("x\ny"),
			ID:        func() string { return "0123" },
			ProxyHost: "app", ProxyPort: "80",
			Own: func(name string) (string, bool) {
				return map[string]string{"mine": "own", "http_set": "hidden"}[name], name == "mine" || name == "http_set"
			},
			Captures: []string{"one", ""},
			Process:  &Process{PID: 99, Hostname: "box", Version: "1.22.1"},
		},
		rs: Response{
			Now: time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, zone), Elapsed: 1234567 * time.Microsecond, Connected: 61 * time.Second,
			Status: 502, Sent: 300, Head: 100, Complete: true,
			Header: lines("Content-Type: text/html", "X-A: 1", "Cache-Control: no-store", "Cache-Control: private"),
			Attempts: []Attempt{
				{Peer: "127.0.0.1:1", Status: 502, Connect: Never, Header: Never, Response: 3 * time.Millisecond},
				{Peer: "127.0.0.1:2", Status: 504, Connect: 0, Header: Never, Response: time.Second, Sent: 80},
				{},
				{Peer: "unix:/tmp/s", Connect: 2 * time.Millisecond, Header: 4 * time.Millisecond, Response: 5 * time.Millisecond, Length: 6, Received: 90, Sent: 70},
			},
			Upstream: lines("X-B: 2", "Set-Cookie: sid = abc; Path=/", "Set-Cookie: sid=no"),
		},
	}
}

func TestTemplate(t *testing.T) {
	f := example()
	for source, want := range map[string]string{
		"":                                     "",
		"text":                                 "text",
		"$scheme://${host}$request_uri":        "http://example.com/a%20b?x=1&Y=2&x=3&e=",
		"$HOST|$http_host|$server_name":        "example.com|Example.com:8080|www.example.com",
		"$uri$is_args$args":                    "/a b?x=1&Y=2&x=3&e=",
		"$arg_x$arg_y<$arg_e$arg_none$arg_>":   "12<>",
		"$1/$2/$3/$12":                         "one//" + "/one2",
		"$http_x_real_ip $http_x_none.":        "1.1.1.1 .",
		"$cookie_a$cookie_bb<$cookie_c>":       "12 <>",
		"$cookie_d|$cookie_e|$http_cookie":     "4,e=5||a=1; bb = 2 ; c; d=4,e=5",
		"$http_x_forwarded_for":                "9.9.9.9, 8.8.8.8",
		"$proxy_add_x_forwarded_for":           "9.9.9.9, 8.8.8.8, 127.0.0.1",
		"$remote_user":                         "ann",
		"$remote_addr:$remote_port":            "127.0.0.1:4242",
		"$realip_remote_addr":                  "127.0.0.1",
		"$binary_remote_addr":                  "\x7f\x00\x00\x01",
		"$server_addr:$server_port":            "127.0.0.2:80",
		"$mine$Mine$http_set":                  "ownownhidden",
		"$status $body_bytes_sent $bytes_sent": "502 200 300",
		"$request_time $connection_time":       "1.234 61.000",
		"$msec":                                "1767335645.678",
		"$time_local":                          "02/Jan/2026:03:04:05 -0330",
		"$time_iso8601":                        "2026-01-02T03:04:05-03:30",
		"$connection.$connection_requests$pipe$pid$hostname$nginx_version": "7.2.99box1.22.1",
		"$sent_http_content_type$sent_http_x_a":                            "text/html1",
		"$sent_http_cache_control":                                         "no-store, private",
		"$upstream_addr":                                                   "127.0.0.1:1, 127.0.0.1:2 : unix:/tmp/s",
		"$upstream_status":                                                 "502, 504 : -",
		"$upstream_connect_time":                                           "-, 0.000 : 0.002",
		"$upstream_header_time":                                            "-, - : 0.004",
		"$upstream_response_time":                                          "0.003, 1.000 : 0.005",
		"$upstream_response_length":                                        "0, 0 : 6",
		"$upstream_bytes_sent":                                             "0, 80 : 70",
		"$upstream_bytes_received":                                         "0, 0 : 90",
		"$upstream_http_x_b$upstream_cookie_sid":                           "2abc",
		"$upstream_cache_status$ssl_protocol$https$limit_rate":             "0",
		"$request_length$request_id$request_completion":                    "1230123OK",
		"$proxy_host:$proxy_port":                                          "app:80",
	} {
		c, err := Compile(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got, captured := c.Captured(), strings.Contains(source, "$1"); got != captured {
			t.Errorf("%s: captured %v", source, got)
		}
		if got := c.Value(f); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
		for _, name := range c.Names() {
			if why := Unknowable(name); why != "" || !Known(name) && name != "mine" {
				t.Errorf("$%s: known %v, unknowable %q", name, Known(name), why)
			}
		}
	}
}

// The texts that nginx refuses, in its words.
func TestCompileErrors(t *testing.T) {
	for source, want := range map[string]string{
		"$":        "invalid variable name",
		"a$":       "invalid variable name",
		"$$":       "invalid variable name",
		"$ a":      "invalid variable name",
		"${":       "invalid variable name",
		"${}":      "invalid variable name",
		"$-":       "invalid variable name",
		"${host":   `the closing bracket in "host" variable is missing`,
		"${ho-st}": `the closing bracket in "ho" variable is missing`,
	} {
		if _, err := Compile(source); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
	}
	for source, want := range map[string]string{
		"a $":    `invalid parameter "$"`,
		"$$x":    `invalid parameter "$$x"`,
		"${} b":  `invalid parameter "${} b"`,
		"${host": `the closing bracket in "host" variable is missing`,
	} {
		if _, err := CompileFormat([]string{source}); err == nil || err.Error() != want {
			t.Errorf("log_format %s: %v, want %s", source, err, want)
		}
	}
	if _, err := CompileFormat([]string{"escape=xml", "a"}); err == nil || err.Error() != `unknown log format escaping "xml"` {
		t.Errorf("escape=xml: %v", err)
	}
}

func TestFormat(t *testing.T) {
	f := example()
	for _, c := range []struct {
		parameters []string
		want       string
	}{
		{[]string{Combined}, `127.0.0.1 - ann [02/Jan/2026:03:04:05 -0330] "GET /a%20b?x=1&Y=2&x=3&e= HTTP/1.1" 502 200 "-" "a\x22b\x5Cc\x01\xC3\xA9"`},
		{[]string{"escape=default", `"$http_none" "$http_user_agent"`}, `"-" "a\x22b\x5Cc\x01\xC3\xA9"`},
		{[]string{"escape=json", `{"u":"$http_user_agent",`, `"b":"$request_body","n":"$http_none"}`}, `{"u":"a\"b\\c\u0001é","b":"x\ny","n":""}`},
		{[]string{"escape=none", "$http_user_agent|$http_none|"}, "a\"b\\c\x01é||"},
		{[]string{"$1"}, "-"},
	} {
		format, err := CompileFormat(c.parameters)
		if err != nil {
			t.Errorf("%v: %v", c.parameters, err)
			continue
		}
		if got := string(format.Append(nil, f)); got != c.want {
			t.Errorf("%v:\ngot  %s\nwant %s", c.parameters, got, c.want)
		}
	}
}

// A request that nothing is known of yet: most isn't there, and nothing breaks.
func TestNothingKnown(t *testing.T) {
	f := &Request{}
	there := map[string]string{
		"binary_remote_addr": "", "connection": "0", "connection_requests": "0", "host": "", "http2": "", "http3": "", "https": "", "is_args": "",
		"limit_rate": "0", "pipe": ".", "proxy_add_x_forwarded_for": "", "realip_remote_addr": "", "realip_remote_port": "",
		"remote_addr": "", "remote_port": "", "request_completion": "", "request_length": "0", "scheme": "http", "server_addr": "", "server_name": "", "server_port": "",
	}
	for name := range table {
		got, ok := Value(name, f)
		if want, known := there[name]; got != want || ok != known {
			t.Errorf("$%s: %q %v, want %q %v", name, got, ok, want, known)
		}
	}
	for _, p := range prefixes {
		if got, ok := Value(p.prefix+"x", f); got != "" || ok {
			t.Errorf("$%sx: %q %v", p.prefix, got, ok)
		}
	}
	for _, status := range []struct {
		code int
		want string
	}{{0, "000"}, {9, "009"}, {99, "099"}, {200, "200"}} {
		if got, _ := Value("status", &asked{rs: Response{Status: status.code}}); got != status.want {
			t.Errorf("status %d: %s", status.code, got)
		}
	}
}

// From 1.23.0 on header lines of one name are joined.
func TestJoined(t *testing.T) {
	f := example()
	f.rq.Joins = true
	if got, _ := Value("http_x_real_ip", f); got != "1.1.1.1, 2.2.2.2" {
		t.Errorf("$http_x_real_ip: %q", got)
	}
	if got, _ := Value("http_cookie", f); got != "a=1; bb = 2 ; c; d=4,e=5" {
		t.Errorf("$http_cookie: %q", got)
	}
}

// Before 1.15.7 what did not happen took as long as the attempt.
func TestFilledTimes(t *testing.T) {
	f := example()
	f.rq.FillsTimes = true
	for name, want := range map[string]string{
		"upstream_connect_time": "0.003, 0.000 : -", "upstream_header_time": "0.003, 1.000 : -", "upstream_response_time": "0.003, 1.000 : -",
	} {
		if got, _ := Value(name, f); got != want {
			t.Errorf("$%s: %q, want %q", name, got, want)
		}
	}
}

// Before 1.29.6 a cookie was found behind a comma, too.
func TestCommasInCookies(t *testing.T) {
	f := example()
	f.rq.Commas = true
	for name, want := range map[string]string{"cookie_d": "4,e=5", "cookie_e": "5"} {
		if got, _ := Value(name, f); got != want {
			t.Errorf("$%s: %q", name, got)
		}
	}
}

func TestKnown(t *testing.T) {
	for name, want := range map[string]bool{
		"host": true, "Upstream_Addr": true, "http_": true, "arg_x": true, "ssl_protocol": true, "ssl_nothing": false,
		"tcpinfo_rtt": true, "1": false, "nothing": false, "upstream": false,
	} {
		if Known(name) != want {
			t.Errorf("%s: known %v", name, !want)
		}
	}
	if Unknowable("TCPINFO_rtt") == "" || Unknowable("host") != "" {
		t.Error("unknowable")
	}
}

// A line costs no memory but its own.
func TestNoAllocations(t *testing.T) {
	f := example()
	f.rq.Header, f.rs.Header, f.rs.Upstream = nil, nil, nil
	format, err := CompileFormat([]string{"$remote_addr $request_uri $status $request_time $upstream_addr $upstream_response_time $time_local $msec"})
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { b = format.Append(b[:0], f) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
