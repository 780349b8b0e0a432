package fault_test

import (
	"encoding"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nolive/nolive/backends/fault"
)

func TestKindsAreSortedAndMakeFreshSpecs(t *testing.T) {
	kinds := fault.Kinds()
	if !slices.IsSortedFunc(kinds, func(a, b fault.Kind) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the table isn't sorted")
	}
	for _, k := range kinds {
		if k.About == "" || strings.ToLower(k.About[:1]) != k.About[:1] {
			t.Errorf("%s: about is %q, want a lower-case line", k.Name, k.About)
		}
		if got, ok := fault.Lookup(k.Name); !ok || got.Name != k.Name {
			t.Errorf("%s: Lookup doesn't find it", k.Name)
		}
		if f, err := k.New().Fault(); err == nil && f.Layer() == fault.OnRequest && f.Script.Name != k.Name {
			t.Errorf("%s: its script is called %q", k.Name, f.Script.Name)
		}
	}
	if _, ok := fault.Lookup("blackhol"); ok {
		t.Error("Lookup found a kind that isn't there")
	}
}

func TestBareWords(t *testing.T) {
	want := map[string]string{ // the error of the zero spec
		"malformed":   "what: missing, as in {malformed: junk}",
		"slow_accept": "every: missing, as in {slow_accept: 200ms}",
		"wait_for":    "backend: missing, as in {wait_for: {backend: app2, requests: 2}}",
		"connections": "max: 0 is not in 1..65536",
		"workers":     "count: 0 is not in 1..65536",
		"keepalive":   "idle: missing, as in {keepalive: {idle: 5s}}, or give requests",
		"wait":        "for: missing, as in {wait: 2s}", "status": "code: missing, as in {status: 503}",
	}
	for _, k := range fault.Kinds() {
		_, err := k.New().Fault()
		if got := text(err); got != want[k.Name] {
			t.Errorf("%s: got %q, want %q", k.Name, got, want[k.Name])
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestErrorsNameTheField(t *testing.T) {
	type cut = fault.CutSpec
	for _, c := range []struct {
		spec fault.Spec
		want string
	}{
		{&fault.RespondSpec{Status: 99}, "status: 99 is not in 200..599"},
		{&fault.RespondSpec{Status: 100}, "status: 100 is not in 200..599"},
		{&fault.RespondSpec{Body: "x", Size: 1}, "size: there is a body already; give one of the two"},
		{&fault.RespondSpec{Size: -1}, "size: -1 is not in 0..1024GiB"},
		{&fault.RespondSpec{Status: 204, Body: "x"}, "body: a response with status 204 has none"},
		{&fault.RespondSpec{Framing: "chunk"}, `framing: "chunk" is none of length, chunked, close, http10`},
		{&fault.RespondSpec{Framing: "close", Length: 5}, "length: only with framing: length"},
		{&fault.RespondSpec{Status: 304, Length: 5}, "length: a response with status 304 has none"},
		{&fault.RespondSpec{Chunk: 5}, "chunk: only with framing: chunked"},
		{&fault.RespondSpec{Framing: "chunked", Chunk: -1}, "chunk: -1 is less than 1"},
		{&fault.RespondSpec{Framing: "close", Trailers: []fault.Header{{"A", "b"}}}, "trailers: only with framing: chunked"},
		{&fault.RespondSpec{Framing: "chunked", Trailers: []fault.Header{{"A b", "b"}}}, `trailers: "A b" is no header name`},
		{&fault.RespondSpec{Interim: 101}, "interim: 101 is not in 100..199, or it is 101, which is final"},
		{&fault.RespondSpec{Interim: 200}, "interim: 200 is not in 100..199, or it is 101, which is final"},
		{&fault.RespondSpec{Then: "stay"}, `then: "stay" is none of keep, close, linger, reset, hang`},
		{&fault.RespondSpec{HeaderSize: 40}, "header_size: 40 can't be had; without padding the header has 38 bytes, and a line of it at least 11"},
		{&fault.RespondSpec{HeaderSize: 30}, "header_size: 30 can't be had; without padding the header has 38 bytes, and a line of it at least 11"},
		{&fault.RespondSpec{Rate: -1}, "rate: -1 is less than 0"},
		{&fault.RespondSpec{Size: 1 << 30, Rate: 10}, "rate: 1073741824 pieces are more than 1048576"},
		{&fault.CloseSpec{CutSpec: cut{RespondSpec: fault.RespondSpec{Then: "close"}}}, "then: close is already what happens in the end"},
		{&fault.CloseSpec{CutSpec: cut{At: "accept", RespondSpec: fault.RespondSpec{Read: fault.Part{Some: true}}}}, "read: at accept the first 1 to 18 bytes of a request, by default none"},
		{&fault.HangSpec{CutSpec: cut{At: "body", Pause: 1}}, "pause: a hang has no end to wait for"},
		{&fault.DripSpec{Every: 1, Total: 1}, "total: there is every already; give one of the two"},
		{&fault.DripSpec{Total: 1, Bytes: 100}, "total: there is one piece only; give less bytes"},
		{&fault.DripSpec{RespondSpec: fault.RespondSpec{Rate: 1}}, "rate: a drip has its own pace; give every and bytes"},
		{&fault.RespondSpec{After: fault.For(-1)}, "after: -1ns is not in 0s..8760h0m0s"},
		{&fault.RespondSpec{After: fault.Latency{Median: 2, P99: 1}}, "after: p99: 1ns is less than the median, 2ns"},
		{&fault.SlowPDFSpec{Generate: fault.Latency{For: 1, Max: 2}}, "generate: for: one kind of time only: for, min and max, median and p99, one_of, or first, last and over"},
		{&fault.ResetSpec{CutSpec: cut{At: "accept", RespondSpec: fault.RespondSpec{After: fault.Latency{Max: 2}}}}, "after: one length of time only at accept, where no request is known yet"},
		{&fault.RespondSpec{Headers: []fault.Header{{Name: "a b"}}}, `headers: "a b" is no header name`},
		{&fault.RespondSpec{Headers: []fault.Header{{"content-length", "1"}}}, "headers: content-length follows from the body; use size or framing"},
		{&fault.RespondSpec{Headers: []fault.Header{{"A", "b\r\nC: d"}}}, "headers: the value of A has a line break or a NUL"},
		{&fault.StatusSpec{Code: 600}, "status: 600 is not in 200..599"},
		{&fault.WaitSpec{Latency: fault.Latency{For: -time.Second}}, "for: -1s is not in 0s..8760h0m0s"},
		{&fault.ResetSpec{CutSpec: cut{At: "end"}}, `at: "end" is none of accept, request, header, after_header, body`},
		{&fault.ResetSpec{CutSpec: cut{Bytes: 5}}, "bytes: only for at: header and at: body"},
		{&fault.CloseSpec{CutSpec: cut{At: "header", Bytes: 38}}, "bytes: 38 is not inside the header, which has 38"},
		{&fault.CloseSpec{CutSpec: cut{At: "body", Bytes: 3}}, "bytes: 3 is not inside the body, which has 3"},
		{&fault.CloseSpec{CutSpec: cut{At: "body", Share: 1}}, "bytes: 3 is not inside the body, which has 3"},
		{&fault.CloseSpec{CutSpec: cut{At: "header", Share: .5}}, "share: only for at: body"},
		{&fault.CloseSpec{CutSpec: cut{At: "body", Bytes: 1, Share: .5}}, "share: there are bytes already; give one of the two"},
		{&fault.CloseSpec{CutSpec: cut{Pause: 1}}, "pause: only where a part of the response goes out; use after"},
		{&fault.CloseSpec{CutSpec: cut{At: "body", RespondSpec: fault.RespondSpec{Status: 204}}}, "at: the response has no body to end in"},
		{&fault.CloseSpec{CutSpec: cut{RespondSpec: fault.RespondSpec{Status: 99}}}, "status: 99 is not in 200..599"},
		{&fault.DripSpec{What: "all"}, `what: "all" is none of header, body, both`},
		{&fault.DripSpec{Bytes: -1}, "bytes: -1 is less than 1"},
		{&fault.DripSpec{RespondSpec: fault.RespondSpec{Size: 1 << 30}}, "bytes: 1073741871 pieces are more than 1048576"},
		{&fault.DripSpec{Every: 8000 * time.Hour}, "every: 41 pieces take longer than 8760h0m0s"},
		{&fault.SlowPDFSpec{Size: 100}, "size: 100 is not in 1KiB..4GiB"},
		{&fault.SlowPDFSpec{Size: 1 << 30, Rate: 10}, "rate: 1073741824 pieces are more than 1048576"},
		{&fault.WaitSpec{Latency: fault.Latency{For: 1, Max: 1}}, "for: one kind of time only: for, min and max, median and p99, one_of, or first, last and over"},
		{&fault.WaitSpec{Latency: fault.Latency{Min: 2, Max: 1}}, "max: 1ns is less than min, 2ns"},
		{&fault.WaitSpec{Latency: fault.Latency{P99: 1}}, "median: missing beside p99"},
		{&fault.WaitSpec{Latency: fault.Latency{Median: 1}}, "p99: missing beside median"},
		{&fault.WaitSpec{Latency: fault.Latency{First: 1}}, "over: missing; how long does it take from first to last?"},
		{&fault.WaitSpec{Latency: fault.Latency{OneOf: []time.Duration{-1}}}, "one_of: -1ns is not in 0s..8760h0m0s"},
		{&fault.WaitForSpec{Backend: "a", Requests: -1}, "requests: -1 is less than 1"},
		{&fault.MalformedSpec{What: "junk", After: fault.For(-1)}, "after: -1ns is not in 0s..8760h0m0s"},
		{&fault.WorkersSpec{Count: 1 << 20}, "count: 1048576 is not in 1..65536"},
		{&fault.WorkersSpec{Count: 1, Full: "stay"}, `full: "stay" is none of close, reset and a status in 200..599`},
		{&fault.WorkersSpec{Count: 1, Full: "99"}, `full: "99" is none of close, reset and a status in 200..599`},
		{&fault.ConnectionsSpec{Max: 1, Full: "drop"}, `full: "drop" is none of wait, close, reset`},
		{&fault.KeepaliveSpec{Idle: -1}, "idle: -1ns is not in 0s..8760h0m0s"},
		{&fault.KeepaliveSpec{Requests: -1}, "requests: -1 is less than 1"},
		{&fault.KeepaliveSpec{Idle: 1, Silent: true}, "silent: only with requests; an idle connection has nothing to say"},
		{&fault.KeepaliveSpec{Idle: 1, With: "rst"}, `with: "rst" is neither fin nor reset`},
		{&fault.CloseOnReuseSpec{With: "rst"}, `with: "rst" is none of fin, reset, blackhole`},
		{&fault.EndlessSpec{Every: time.Millisecond}, "every: 1ms is not in 10ms..1h"},
		{&fault.EndlessSpec{Bytes: 1 << 20}, "bytes: 1MiB is not in 1..64KiB"},
		{&fault.EndlessSpec{RespondSpec: fault.RespondSpec{Body: "x"}}, "body: one that never ends has no size; give every and bytes"},
		{&fault.EndlessSpec{RespondSpec: fault.RespondSpec{Rate: 1}}, "rate: the pieces have their own pace; give every and bytes"},
		{&fault.EndlessSpec{RespondSpec: fault.RespondSpec{Then: "reset"}}, "then: nothing comes after a body that never ends"},
		{&fault.EndlessSpec{RespondSpec: fault.RespondSpec{Status: 304}}, "status: a response with status 304 has no body"},
		{&fault.EndlessSpec{RespondSpec: fault.RespondSpec{Framing: "close", Trailers: []fault.Header{{Name: "A", Value: "b"}}}}, "trailers: they would come behind a body that never ends"},
		{&fault.UpgradeSpec{Then: "sing"}, `then: "sing" is none of echo, stall, cut`},
		{&fault.UpgradeSpec{Lasts: 1}, "then: only with cut it lasts, and ends with something"},
		{&fault.UpgradeSpec{Then: "cut", With: "rst"}, `with: "rst" is neither fin nor reset`},
		{&fault.UpgradeSpec{Protocol: "web socket"}, `protocol: "web socket" is none`},
		{&fault.UpgradeSpec{Headers: []fault.Header{{Name: "a b"}}}, `headers: "a b" is no header name`},
		{&fault.SlowPDFSpec{Generate: fault.For(-1)}, "generate: -1ns is not in 0s..8760h0m0s"},
		{&fault.DripSpec{RespondSpec: fault.RespondSpec{Status: 99}}, "status: 99 is not in 200..599"},
		{&fault.DripSpec{Every: -1}, "every: -1ns is not in 0s..8760h0m0s"},
		{&fault.DripSpec{Total: -1}, "total: -1ns is not in 0s..8760h0m0s"},
		{&fault.CloseSpec{CutSpec: cut{At: "body", Pause: -1}}, "pause: -1ns is not in 0s..8760h0m0s"},
		{&fault.RespondSpec{Headers: []fault.Header{{"transfer-encoding", "chunked"}}}, "headers: transfer-encoding follows from the body; use size or framing"},
		{&fault.SlowAcceptSpec{Every: -1}, "every: -1ns is not in 0s..8760h0m0s"},
		{&fault.TLSSpec{Handshake: "slow"}, `handshake: "slow" is none of good, hang, close, reset, refuse, plain, expired, wrong_name, untrusted`},
		{&fault.TLSSpec{Handshake: "hang", After: -1}, "after: -1ns is not in 0s..8760h0m0s"},
		{&fault.UpgradeSpec{Then: "cut", Lasts: -1}, "lasts: -1ns is not in 0s..8760h0m0s"},
		{&fault.UpgradeSpec{After: fault.For(-1)}, "after: -1ns is not in 0s..8760h0m0s"},
		{&fault.EndlessSpec{RespondSpec: fault.RespondSpec{Status: 99}}, "status: 99 is not in 200..599"},
		{&fault.WaitSpec{Latency: fault.Latency{Median: 1}}, "p99: missing beside median"},
		{&fault.WaitSpec{Latency: fault.Latency{Min: -1, Max: 1}}, "min: -1ns is not in 0s..8760h0m0s"},
		// The last values that are in range, and the first ones that aren't.
		{&fault.WorkersSpec{Count: 65536}, ""},
		{&fault.WorkersSpec{Count: 65537}, "count: 65537 is not in 1..65536"},
		{&fault.WorkersSpec{Count: 0}, "count: 0 is not in 1..65536"},
		{&fault.WorkersSpec{Count: 1, Full: "200"}, ""},
		{&fault.WorkersSpec{Count: 1, Full: "599"}, ""},
		{&fault.WorkersSpec{Count: 1, Full: "600"}, `full: "600" is none of close, reset and a status in 200..599`},
		{&fault.ConnectionsSpec{Max: 65536}, ""},
		{&fault.ConnectionsSpec{Max: 65537}, "max: 65537 is not in 1..65536"},
		{&fault.EndlessSpec{Every: 10 * time.Millisecond}, ""},
		{&fault.EndlessSpec{Every: time.Hour}, ""},
		{&fault.EndlessSpec{Every: time.Hour + 1}, "every: 1h0m0.000000001s is not in 10ms..1h"},
		{&fault.EndlessSpec{Bytes: 64 << 10}, ""},
		{&fault.EndlessSpec{Bytes: 1}, ""},
		{&fault.EndlessSpec{Bytes: 64<<10 + 1}, "bytes: 65537 is not in 1..64KiB"},
		{&fault.RespondSpec{Size: 1 << 40}, ""},
		{&fault.RespondSpec{Size: 1<<40 + 1}, "size: 1099511627777 is not in 0..1024GiB"},
		{&fault.RespondSpec{Status: 200}, ""},
		{&fault.RespondSpec{Status: 599}, ""},
		{&fault.WaitSpec{Latency: fault.For(8760 * time.Hour)}, ""},
		{&fault.WaitSpec{Latency: fault.For(8760*time.Hour + 1)}, "for: 8760h0m0.000000001s is not in 0s..8760h0m0s"},
		{&fault.DripSpec{Total: 1, Bytes: 40}, ""},
		{&fault.DripSpec{Total: 1, Bytes: 41}, "total: there is one piece only; give less bytes"},
	} {
		if _, err := c.spec.Fault(); text(err) != c.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.spec, text(err), c.want)
		}
	}
}

func TestScalars(t *testing.T) {
	for _, c := range []struct {
		kind, text string
		want       fault.Spec
		err        string
	}{
		{"status", "503", &fault.StatusSpec{Code: 503}, ""},
		{"status", "ok", &fault.StatusSpec{}, `status: "ok" is not in 200..599`},
		{"wait", "1m30s", &fault.WaitSpec{Latency: fault.Latency{For: 90 * time.Second}}, ""},
		{"wait", "2", &fault.WaitSpec{}, `wait: "2" is no duration, as 250ms or 2s, and no range of them`},
		{"wait", "10ms..50ms", &fault.WaitSpec{Latency: fault.Latency{Min: 10 * time.Millisecond, Max: 50 * time.Millisecond}}, ""},
		{"wait", "10ms..", nil, `wait: "10ms.." is no duration, as 250ms or 2s, and no range of them`},
		{"workers", "4", &fault.WorkersSpec{Count: 4}, ""},
		{"workers", "many", nil, `workers: "many" is no number from 1`},
		{"connections", "4", &fault.ConnectionsSpec{Max: 4}, ""},
		{"connections", "few", nil, `connections: "few" is no number from 1`},
		{"upgrade", "stall", &fault.UpgradeSpec{Then: "stall"}, ""},
		{"upgrade", "sing", nil, `then: "sing" is none of echo, stall, cut`},
		{"malformed", "junk", &fault.MalformedSpec{What: "junk"}, ""},
		{"malformed", "garbage", nil, `what: "garbage" is none of bad_length, broken_chunk, conflicting_lengths, duplicate_length, header_line, header_name, http09, junk, length_and_chunked, no_last_chunk, status_line, two_responses`},
		{"endless", "50ms", &fault.EndlessSpec{Every: 50 * time.Millisecond}, ""},
		{"endless", "often", nil, `endless: "often" is no duration, as 250ms or 2s`},
		{"slow_accept", "200ms", &fault.SlowAcceptSpec{Every: 200 * time.Millisecond}, ""},
		{"slow_accept", "2", nil, `slow_accept: "2" is no duration, as 250ms or 2s`},
		{"keepalive", "5s", &fault.KeepaliveSpec{Idle: 5 * time.Second}, ""},
		{"keepalive", "5", nil, `keepalive: "5" is no duration, as 5s`},
		{"close_on_reuse", "reset", &fault.CloseOnReuseSpec{With: "reset"}, ""},
		{"close_on_reuse", "rst", nil, `with: "rst" is none of fin, reset, blackhole`},
		{"reset", "body", &fault.ResetSpec{CutSpec: fault.CutSpec{At: "body"}}, ""},
		{"hang", "after_header", &fault.HangSpec{CutSpec: fault.CutSpec{At: "after_header"}}, ""},
		{"close", "bdy", nil, `at: "bdy" is none of accept, request, header, after_header, body`},
	} {
		k, _ := fault.Lookup(c.kind)
		s := k.New().(fault.Scalar)
		if err := s.Scalar(c.text); text(err) != c.err {
			t.Errorf("%s: %s: got error %q, want %q", c.kind, c.text, text(err), c.err)
		}
		if c.want == nil {
			continue
		}
		if d := cmp.Diff(c.want, fault.Spec(s), cmp.AllowUnexported()); d != "" {
			t.Errorf("%s: %s: %s", c.kind, c.text, d)
		}
	}
}

func TestSizesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := fault.Size(rapid.Int64Range(0, 1<<40).Draw(t, "n"))
		if rapid.Bool().Draw(t, "round") {
			s = s >> 20 << 20
		}
		var back fault.Size
		b, _ := s.MarshalText()
		if err := back.UnmarshalText(b); err != nil || back != s {
			t.Fatalf("%d is written %s and read as %d, %v", s, b, back, err)
		}
	})
	for in, want := range map[string]fault.Size{"512": 512, "512B": 512, "10KiB": 10240, "2MiB": 2 << 20, "1 GiB": 1 << 30} {
		var s fault.Size
		if err := s.UnmarshalText([]byte(in)); err != nil || s != want {
			t.Errorf("%s: got %d, %v, want %d", in, s, err, want)
		}
	}
	for _, in := range []string{"", "-1", "1.5KiB", "10KB", "10k", "KiB", "2048GiB", "99999999999999999999"} {
		var s fault.Size
		if s.UnmarshalText([]byte(in)) == nil {
			t.Errorf("%q is taken as %d", in, s)
		}
	}
	var r fault.Rate
	if err := r.UnmarshalText([]byte("256KiB/s")); err != nil || r != 256<<10 {
		t.Errorf("256KiB/s: got %d, %v", r, err)
	}
	var p fault.Portion
	for in, want := range map[string]fault.Portion{"25%": .25, "0.5": .5, "1": 1, "0%": 0} {
		if err := p.UnmarshalText([]byte(in)); err != nil || p != want {
			t.Errorf("%s: got %v, %v, want %v", in, p, err, want)
		}
	}
	for _, in := range []string{"101%", "-1", "1.5", "NaN", "half"} {
		if p.UnmarshalText([]byte(in)) == nil {
			t.Errorf("%q is taken as %v", in, p)
		}
	}
}

// What is written is read back: of each text the spelling that a scenario shows.
func TestTextsReadBack(t *testing.T) {
	type text interface {
		encoding.TextMarshaler
		encoding.TextUnmarshaler
	}
	for _, c := range []struct {
		value text
		in    []string // the first is how it is written
	}{
		{new(fault.Part), []string{"all"}}, {new(fault.Part), []string{"head", "0"}}, {new(fault.Part), []string{"10KiB", "10240"}},
		{new(fault.Room), []string{"any"}}, {new(fault.Room), []string{"0"}}, {new(fault.Room), []string{"12"}},
		{new(fault.Refusal), []string{"reset"}},
		{new(fault.Rate), []string{"256KiB/s", "256KiB", "262144/s"}},
		{new(fault.Portion), []string{"0.25", "25%", "25 %"}}, {new(fault.Portion), []string{"1", "100%"}},
	} {
		for _, in := range c.in {
			if err := c.value.UnmarshalText([]byte(in)); err != nil {
				t.Errorf("%T: %v", c.value, err)
			}
			if b, err := c.value.MarshalText(); err != nil || string(b) != c.in[0] {
				t.Errorf("%T: %q is written %q, %v, want %q", c.value, in, b, err, c.in[0])
			}
		}
		if _, ok := c.value.(*fault.Refusal); !ok && c.value.UnmarshalText([]byte("-1")) == nil {
			t.Errorf("%T takes -1", c.value)
		}
	}
	var p fault.Part
	if err := p.UnmarshalText([]byte("10KiB")); err != nil || p.UnmarshalText([]byte("all")) != nil || p != (fault.Part{}) {
		t.Errorf("all, after a size, is %+v", p)
	}
}

func TestReasonsAreThoseOfNetHTTP(t *testing.T) {
	for code := 200; code < 600; code++ {
		f, err := (&fault.StatusSpec{Code: code}).Fault()
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(string(f.Script.Response.Head), "\r\n")
		if _, got, _ := strings.Cut(line[len("HTTP/1.1"):], " "); got[4:] != http.StatusText(code) {
			t.Errorf("got %q, want %q", line, http.StatusText(code))
		}
	}
}
