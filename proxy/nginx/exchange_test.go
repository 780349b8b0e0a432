package nginx

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
)

// told turns two logs into events, with the backends a on port 1, b on 2, c on
// 3 in the upstreams u, and origin second 100; the run ends at second 900.
func told(t *testing.T, access, errors string) []event.Event {
	t.Helper()
	return toldBy(t, binary{number: [3]int{1, 22, 1}}, access, errors)
}

// toldBy is told for the logs of an nginx.
func toldBy(t *testing.T, b binary, access, errors string) []event.Event {
	t.Helper()
	u := &upstream.Config{Name: "u", Servers: []upstream.Server{upstream.NewServer("a"), upstream.NewServer("b"), upstream.NewServer("c")}}
	n := newNames(&nginxconf.Config{Upstreams: []*upstream.Config{u}}, map[string]string{"a": "127.0.0.1:1", "b": "127.0.0.1:2", "c": "127.0.0.1:3"})
	n.dialect = b.dialect()
	n.unannounced = map[string][]int64{"c": {61, 90000}}
	log, err := readErrorLog(strings.NewReader(errors), 1<<62)
	if err != nil {
		t.Fatal(err)
	}
	xs, err := readRequests(strings.NewReader(access), dialect{}.parse, n, log, 900_000)
	if err != nil {
		t.Fatal(err)
	}
	var out []event.Event
	tell(event.SinkFunc(func(e event.Event) { out = append(out, e) }), n, xs, log, n.keepalive, func(ms int64) time.Duration {
		return time.Duration(ms-100_000) * time.Millisecond
	})
	return out
}

// accessText is a line of the access log.
func accessText(msec, took, connection, id, status, addr, upstatus, connect, header, response, more string) string {
	if more == "" {
		more = `"complete":"OK"`
	}
	return fmt.Sprintf(`{"msec":"%s","pid":"7","connection":"%s","request":"%s","status":"%s","took":"%s","addr":"%s","upstatus":"%s","connect":"%s","header":"%s","response":"%s","host":"u",%s}`+"\n",
		msec, connection, id, status, took, addr, upstatus, connect, header, response, more)
}

// errorText is a line of the error log; second counts from 100.
func errorText(second int64, level, connection, message, addr string) string {
	return time.Unix(100+second, 0).UTC().Format("2006/01/02 15:04:05") + " [" + level + "] 7#7: *" + connection + " " + message +
		`, client: 127.0.0.1, server: , request: "GET / HTTP/1.1", upstream: "http://` + addr + `/", host: "h"` + "\n"
}

const (
	timedOut = "upstream timed out (110: Connection timed out) while reading response header from upstream"
	disabled = "upstream server temporarily disabled while reading response header from upstream"
)

// kinds is a short form of events.
func kinds(events []event.Event) []string {
	var out []string
	for _, e := range events {
		if e.Kind != event.Logged {
			s := fmt.Sprintf("%v %v", e.At, e.Kind)
			for _, v := range []any{e.Request, e.Peer, e.Outcome} {
				if v := fmt.Sprint(v); v != "" {
					s += " " + v
				}
			}
			out = append(out, s)
		}
	}
	return out
}

func want(t *testing.T, got []event.Event, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, kinds(got)); d != "" {
		t.Error(d)
	}
}

// The end of a failed attempt lies in the second in which nginx says that it
// failed, although the response times add up to the one before.
func TestStampOfTheErrorLogCorrects(t *testing.T) {
	got := told(t,
		accessText("102.005", "2.000", "1", "t/1", "200", "127.0.0.1:1, 127.0.0.1:2", "504, 200", "0.000, 0.000", "-, 0.002", "1.993, 0.002", ""),
		errorText(2, "warn", "1", disabled, "127.0.0.1:1")+errorText(2, "error", "1", timedOut, "127.0.0.1:1"))
	want(t, got,
		"5ms attempt t/1 a", "2s ended t/1 a read_timeout", "2s marked t/1 a read_timeout",
		"2s attempt t/1 b", "2.002s ended t/1 b passed", "2.005s answered t/1")
}

// A response that another run took the place of was passed to the end, whatever came of
// that run: the client left, the body broke off on the same backend.
func TestReplacedResponse(t *testing.T) {
	line := func(status, upstatus, more string) string {
		return accessText("101.000", "1.000", "1", "t/1", status, "127.0.0.1:1 : 127.0.0.1:1", upstatus, "0.000 : 0.000", "0.500 : 0.100", "0.500 : 0.500", more)
	}
	want(t, told(t, line("499", "200 : 200", `"complete":""`), ""),
		"0s attempt t/1 a", "500ms ended t/1 a passed", "500ms attempt t/1 a", "1s ended t/1 a aborted", "1s answered t/1")
	want(t, told(t, line("200", "200 : 200", `"complete":"OK","announced":"9","sent":"4"`), errorText(1, "error", "1", "upstream prematurely closed connection while reading upstream", "127.0.0.1:1")),
		"0s attempt t/1 a", "500ms ended t/1 a passed", "500ms attempt t/1 a", "1s ended t/1 a truncated", "1s answered t/1")
}

// A body is read before the first attempt, so that one is counted back from the end.
func TestBodyIsReadFirst(t *testing.T) {
	got := told(t, accessText("105.000", "4.000", "1", "t/1", "200", "127.0.0.1:1", "200", "0.000", "1.000", "1.000", `"length":"9000000","complete":"OK"`), "")
	want(t, got, "4s attempt t/1 a", "5s ended t/1 a passed", "5s answered t/1")
}

// Two requests on one client connection fail on the same backend; each has its
// own lines, the first without a mark.
func TestRequestsOfOneConnection(t *testing.T) {
	got := told(t,
		accessText("102.000", "1.000", "1", "t/1", "504", "127.0.0.1:1", "504", "0.000", "-", "1.000", "")+
			accessText("104.000", "1.000", "1", "t/2", "504", "127.0.0.1:1", "504", "0.000", "-", "1.000", ""),
		errorText(2, "error", "1", timedOut, "127.0.0.1:1")+
			errorText(4, "warn", "1", disabled, "127.0.0.1:1")+errorText(4, "error", "1", timedOut, "127.0.0.1:1"))
	want(t, got,
		"1s attempt t/1 a", "2s ended t/1 a read_timeout", "2s answered t/1",
		"3s attempt t/2 a", "4s ended t/2 a read_timeout", "4s marked t/2 a read_timeout", "4s answered t/2")
}

// overText is the line that says that a request of a connection is over.
func overText(connection, id string) string { return overBegins + connection + " " + id + " 200\n" }

// Two requests on one client connection get the same listed status in one second:
// only the lines between say which of them marked the backend.
func TestRequestsOfOneSecond(t *testing.T) {
	line := func(msec, id string) string {
		return accessText(msec, "0.020", "1", id, "200", "127.0.0.1:1, 127.0.0.1:2", "503, 200", "0.000, 0.000", "0.010, 0.010", "0.010, 0.010", "")
	}
	access := line("102.100", "t/1") + line("102.200", "t/2") + line("102.300", "t/3")
	mark := errorText(2, "warn", "1", disabled, "127.0.0.1:1")
	for marked, errors := range map[string]string{
		"t/1": mark + overText("1", "t/1") + overText("1", "t/2") + overText("2", "x/1") + overText("1", "t/3"),
		"t/2": overText("1", "t/1") + overText("2", "x/1") + mark + overText("1", "t/2") + overText("1", "t/3"),
		"t/3": overText("1", "t/1") + overText("1", "t/2") + mark + overText("1", "t/3"),
	} {
		marks := 0
		for _, e := range told(t, access, errors) {
			if e.Kind == event.PeerMarked {
				marks++
				if e.Request.String() != marked {
					t.Errorf("%v marked, want %s", e.Request, marked)
				}
			}
		}
		if marks != 1 {
			t.Errorf("%d marks by %s", marks, marked)
		}
	}
}

// A 502 that a backend itself sent takes no line of a later failure.
func TestBackendsOwn502(t *testing.T) {
	got := told(t,
		accessText("101.100", "0.100", "1", "t/1", "502", "127.0.0.1:1", "502", "0.000", "0.100", "0.100", "")+
			accessText("101.300", "0.100", "1", "t/2", "502", "127.0.0.1:1", "502", "0.000", "-", "0.100", ""),
		errorText(1, "error", "1", "recv() failed (104: Connection reset by peer) while reading response header from upstream", "127.0.0.1:1")+
			errorText(1, "warn", "1", disabled, "127.0.0.1:1"))
	want(t, got,
		"1s attempt t/1 a", "1.1s ended t/1 a passed", "1.1s answered t/1",
		"1.2s attempt t/2 a", "1.3s ended t/2 a reset", "1.3s marked t/2 a reset", "1.3s answered t/2")
}

// Without the line that gives the reason the lists tell half of it.
func TestNoReason(t *testing.T) {
	for _, c := range []struct {
		status, connect string
		want            event.Outcome
	}{{"504", "0.001", event.ReadTimeout}, {"504", "-", event.ConnectTimeout}, {"502", "0.001", event.Closed}, {"502", "-", event.Refused}, {"-", "-", event.Aborted}} {
		got := told(t, accessText("101.000", "1.000", "1", "t/1", "499", "127.0.0.1:1", c.status, c.connect, "-", "1.000", `"complete":""`), "")
		if len(got) != 3 || got[1].Outcome != c.want {
			t.Errorf("%+v: %v", c, kinds(got))
		}
	}
}

// A client that left while nginx was handling the failure: the failure counts,
// and no status was noted.
func TestFailureThenGone(t *testing.T) {
	got := told(t, accessText("102.000", "1.000", "1", "t/1", "499", "127.0.0.1:1", "-", "0.000", "-", "1.000", `"complete":""`),
		errorText(2, "warn", "1", disabled, "127.0.0.1:1")+errorText(2, "error", "1", timedOut, "127.0.0.1:1"))
	want(t, got, "1s attempt t/1 a", "2s ended t/1 a read_timeout", "2s marked t/1 a read_timeout", "2s answered t/1")
	if got[1].Status != 0 {
		t.Errorf("status %d", got[1].Status)
	}
}

// A mark whose request has no line in the access log is still a mark.
func TestMarkWithoutRequest(t *testing.T) {
	got := told(t, "", errorText(5, "warn", "1", disabled, "127.0.0.1:2"))
	want(t, got, "5s marked b")
	if got[0].Upstream != "u" || got[1].Kind != event.Logged || got[1].Peer != "b" {
		t.Errorf("%+v", got)
	}
}

// A line is what nginx says, without what it adds to every line of the request: no check
// sees more of it on one engine than on another.
func TestALineIsTheMessage(t *testing.T) {
	access := accessText("100.010", "0.010", "1", "t/1", "502", "127.0.0.1:1", "502", "0.000", "-", "0.010", "")
	for text, errors := range map[string]string{
		timedOut:                  errorText(0, "error", "1", timedOut, "127.0.0.1:1"),
		disabled:                  errorText(0, "warn", "2", disabled, "127.0.0.1:1"), // no request claims it
		"the first\nand the rest": errorText(0, "error", "1", "the first\nand the rest", "127.0.0.1:1"),
		"worker process 9 exited": "1970/01/01 00:01:40 [alert] 7#7: worker process 9 exited\n",
	} {
		var got []string
		for _, e := range told(t, access, errors) {
			if e.Kind == event.Logged {
				got = append(got, e.Detail)
			}
		}
		if len(got) != 1 || got[0] != text {
			t.Errorf("want %q, got %q", text, got)
		}
	}
}

// What our own stop cuts off is neither an end nor an answer.
func TestCutOffAtTheEnd(t *testing.T) {
	got := told(t, accessText("900.010", "1.010", "1", "t/1", "000", "127.0.0.1:1", "-", "0.000", "-", "1.010", `"complete":""`), "")
	want(t, got, "13m19s attempt t/1 a")
}

// In one millisecond failures come as the error log has them, and arrivals by
// connection; what one request does stays together.
func TestOrderWithinAMillisecond(t *testing.T) {
	line := func(connection, id, addr string) string {
		return accessText("102.000", "1.000", connection, id, "504", addr, "504", "0.000", "-", "1.000", "")
	}
	got := told(t, line("3", "t/3", "127.0.0.1:3")+line("1", "t/1", "127.0.0.1:1")+line("2", "t/2", "127.0.0.1:2"),
		errorText(2, "error", "2", timedOut, "127.0.0.1:2")+errorText(2, "error", "3", timedOut, "127.0.0.1:3")+errorText(2, "error", "1", timedOut, "127.0.0.1:1"))
	want(t, got,
		"1s attempt t/1 a", "1s attempt t/2 b", "1s attempt t/3 c",
		"2s ended t/2 b read_timeout", "2s answered t/2",
		"2s ended t/3 c read_timeout", "2s answered t/3",
		"2s ended t/1 a read_timeout", "2s answered t/1")

	// An end comes before the arrival of the same millisecond, whichever request
	// nginx wrote down first: the pick then sees what the end changed.
	got = told(t, accessText("103.000", "0.500", "1", "t/9", "200", "127.0.0.1:1", "200", "0.000", "0.500", "0.500", "")+
		accessText("102.500", "1.000", "4", "t/4", "200", "127.0.0.1:2", "200", "0.000", "1.000", "1.000", ""), "")
	want(t, got, "1.5s attempt t/4 b", "2.5s ended t/4 b passed", "2.5s answered t/4", "2.5s attempt t/9 a", "3s ended t/9 a passed", "3s answered t/9")
}

// The line that production would have logged: names in the place of addresses.
func TestRestore(t *testing.T) {
	n := newNames(nil, map[string]string{"10.0.0.1:8080": "127.0.0.1:400", "app": "127.0.0.1:4001"})
	got := n.restore(`connect() to 127.0.0.1:4001 failed, client: 127.0.0.1, upstream: "http://127.0.0.1:400/", host: "127.0.0.1:40011"`)
	if want := `connect() to app failed, client: 127.0.0.1, upstream: "http://10.0.0.1:8080/", host: "127.0.0.1:40011"`; got != want {
		t.Error(got)
	}
	// Where nginx runs on another network, the backends have the address of the bridge.
	n = newNames(nil, map[string]string{"app1": "172.17.0.1:400", "app2": "127.0.0.1:400"})
	got = n.restore(`upstream: "http://172.17.0.1:400/", client: 172.17.0.1, upstream: "http://127.0.0.1:400/"`)
	if want := `upstream: "http://app1/", client: 172.17.0.1, upstream: "http://app2/"`; got != want {
		t.Error(got)
	}
}

// A line break in a message belongs to it, and junk is no line.
func TestErrorLogOfSeveralLines(t *testing.T) {
	log, err := readErrorLog(strings.NewReader("junk\n2030/01/01 00:00:01 [alert] 1#1: first\nsecond\n2030/01/01 00:00:01 [notice] 1#1: no\nmore\n"), 1<<62)
	if err != nil || len(log.loose) != 1 || log.loose[0].message != "first\nsecond" || len(log.alerts) != 1 {
		t.Errorf("%+v %v", log, err)
	}
}

// What nginx says of its sockets while we stop it is our doing, and not its trouble.
func TestStopIsNoTrouble(t *testing.T) {
	before := "2030/01/01 00:00:01 [alert] 1#1: open socket #9 left in connection 3\n"
	log, err := readErrorLog(strings.NewReader(before+before+"2030/01/01 00:00:01 [alert] 1#1: other\n"), int64(len(before)))
	if err != nil || len(log.alerts) != 2 || !strings.HasSuffix(log.alerts[1], "other") {
		t.Errorf("%q %v", log.alerts, err)
	}
}

func TestBrokenAccessLine(t *testing.T) {
	n := newNames(nil, nil)
	log, _ := readErrorLog(strings.NewReader(""), 0)
	xs, err := readRequests(strings.NewReader("{\n"+accessText("101.000", "0.000", "1", "t/1", "200", "", "", "", "", "", "")), dialect{}.parse, n, log, 1<<62)
	if len(xs) != 1 || err == nil || !strings.Contains(err.Error(), "access log: ") {
		t.Errorf("%d lines, %v", len(xs), err)
	}
}

func TestSameListen(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"80", "*:80", true}, {"80", "0.0.0.0:80", true}, {"8080", "*:8080", true}, {"80", "8080", false}, {"127.0.0.1", "127.0.0.1:80", true}, {"[::]:80", "80", false}} {
		if got := sameListen(c.a, c.b); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}

// A backend that says Connection: close leaves no idle connection, nor does a
// connection outlive keepalive_timeout or its second use.
func TestInferCached(t *testing.T) {
	at := func(sec int64, addr, connect string, close bool) *exchange {
		x := &exchange{accessLine: accessLine{pid: 1, close: close}}
		x.steps = []step{{attemptRecord: attemptRecord{addr: addr, connect: millis(connect)}, upstream: "u", start: sec * 1000, end: sec*1000 + 10, outcome: event.Passed}}
		return x
	}
	xs := []*exchange{
		at(1, "a", "0.000", false), // nothing there yet
		at(2, "a", "0.000", false), // the first one's
		at(3, "b", "0.000", true),  // none to b
		at(4, "b", "0.000", false), // it was closed
		at(5, "a", "0.001", false), // idle, but a new one was made: it had died
		at(6, "a", "0.000", false),
		at(67, "a", "0.000", false), // a minute is too long
	}
	inferCached(xs, func(string) upstream.KeepaliveConfig {
		return upstream.KeepaliveConfig{Connections: 2}.For(upstream.Stable)
	})
	var got []bool
	for _, x := range xs {
		got = append(got, x.steps[0].cached)
	}
	if d := cmp.Diff([]bool{false, true, false, false, false, true, false}, got); d != "" {
		t.Error(d)
	}
}

// Whether an attempt can have been on a kept connection is the version's business, and
// the configuration's: nothing is kept where it says so.
func TestKeepaliveIsTheVersions(t *testing.T) {
	for _, c := range []struct {
		version, keepalive    string
		connections, requests int
	}{
		{"1.29.7", "", 32, 1000},
		{"1.29.7", "keepalive 0;", 0, 1000},
		{"1.29.6", "", 0, 1000},
		{"1.22", "keepalive 2;", 2, 1000},
		{"1.18", "keepalive 2;", 2, 100},
		{"1.18", "keepalive 2; keepalive_requests 7;", 2, 7},
	} {
		tree, _ := nginxconf.Parse("nginx.conf", []byte("upstream u { server a; "+c.keepalive+" } server { location / { proxy_pass http://u; } }"), nil)
		v, err := upstream.ParseVersion(c.version)
		if err != nil {
			t.Fatal(err)
		}
		cfg, problems := nginxconf.InterpretAs(tree, v)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got := newNames(cfg, nil).keepalive("u"); got.Connections != c.connections || got.Requests != c.requests {
			t.Errorf("%s %q: %+v, want %d connections and %d requests", c.version, c.keepalive, got, c.connections, c.requests)
		}
	}
}

// A client that left didn't get a response whole, and the exchange with the backend
// ended as it should all the same where nginx had read all of it.
func TestReadWhole(t *testing.T) {
	const known, unknown = "127.0.0.1:3", "127.0.0.1:1" // how long its responses are
	for _, tt := range []struct {
		addr, header, more string
		want               event.Outcome
	}{
		{unknown, "0.500", `"sent":"2055","received":"2060","framed":"chunked"`, event.Passed},
		{unknown, "0.400", `"sent":"20","received":"30","framed":"chunked"`, event.Aborted}, // in the middle
		{unknown, "0.500", `"sent":"36000","received":"65536","framed":"chunked"`, event.Aborted},
		{unknown, "0.400", `"sent":"36000","received":"40960","framed":"40960"`, event.Passed},
		{unknown, "0.500", `"sent":"36000","received":"90000","framed":"102400"`, event.Aborted},
		{unknown, "0.500", `"sent":"36000","framed":"40960"`, event.Aborted}, // of an older log
		{unknown, "0.500", `"sent":"61","received":"61","framed":""`, event.Aborted},
		{known, "0.000", `"sent":"57","received":"61","framed":"chunked"`, event.Passed}, // in drops
		{known, "0.500", `"sent":"36000","received":"90000","framed":"chunked"`, event.Passed},
		{known, "0.500", `"sent":"2055","received":"2060","framed":"chunked"`, event.Aborted}, // its second write failed at once
		{known, "0.500", `"sent":"61","received":"61","framed":""`, event.Passed},
		{known, "0.500", `"sent":"60","received":"60","framed":""`, event.Aborted},
	} {
		got := told(t, accessText("101.000", "0.500", "1", "x/1", "200", tt.addr, "200", "0.000", tt.header, "0.500", `"complete":"",`+tt.more), "")
		i := slices.IndexFunc(got, func(e event.Event) bool { return e.Kind == event.AttemptEnded })
		if i < 0 || got[i].Outcome != tt.want {
			t.Errorf("%s: got %v, want %v", tt.more, got, tt.want)
		}
	}
}

// nginx reads on behind a response that is whole, and may meet a reset there: that broke
// nothing off.
func TestResetBehindTheEnd(t *testing.T) {
	reset := errorText(1, "error", "1", "readv() failed (104: Connection reset by peer) while reading upstream", "127.0.0.1:3")
	for _, tt := range []struct {
		status, more string
		want         event.Outcome
	}{
		{"204", `"sent":"0","received":"0","framed":""`, event.Passed},
		{"200", `"sent":"57","received":"61","framed":"chunked"`, event.Passed},
		{"200", `"sent":"57","received":"61","framed":"5chunked"`, event.Passed}, // with a length, which doesn't count
		{"200", `"sent":"47","received":"51","framed":"chunked"`, event.Truncated},
		{"200", `"sent":"61","received":"61","framed":""`, event.Truncated}, // only the end of the connection is its end
	} {
		got := told(t, accessText("101.000", "0.500", "1", "x/1", tt.status, "127.0.0.1:3", tt.status, "0.000", "0.500", "0.500", `"complete":"OK",`+tt.more), reset)
		i := slices.IndexFunc(got, func(e event.Event) bool { return e.Kind == event.AttemptEnded })
		if i < 0 || got[i].Outcome != tt.want {
			t.Errorf("%s %s: got %v, want %v", tt.status, tt.more, got, tt.want)
		}
	}
}
