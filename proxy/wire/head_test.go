package wire

import "testing"

const statusOK = "HTTP/1.1 200 OK\r\n"

// heads are what nginx makes of a head, which depends on its version. The test with
// the tag e2e asks nginx 1.22; what other versions do is read off their source.
var heads = []struct {
	name, head string
	want       map[string]Verdict // by version; what isn't there is Whole
}{
	{"two lengths", statusOK + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", map[string]Verdict{"1.28": Invalid, "1.30": Invalid}},
	{"no number", statusOK + "Content-Length: ten\r\n\r\n", map[string]Verdict{"1.28": Invalid, "1.30": Invalid}},
	{"length and chunks", statusOK + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", map[string]Verdict{"1.28": Invalid, "1.30": Invalid}},
	{"chunks and length", statusOK + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", map[string]Verdict{"1.28": Invalid, "1.30": Invalid}},
	{"another coding", statusOK + "Transfer-Encoding: gzip, chunked\r\n\r\n", map[string]Verdict{"1.28": Invalid, "1.30": Invalid}},
	{"a space in a name", statusOK + "A b: c\r\n\r\n", map[string]Verdict{"1.22": Invalid, "1.28": Invalid, "1.30": Invalid}},
	{"a folded line", statusOK + "A: b\r\n c\r\n\r\n", map[string]Verdict{"1.22": Invalid, "1.28": Invalid, "1.30": Invalid}},
	{"no name", statusOK + ": c\r\n\r\n", map[string]Verdict{"1.22": Invalid, "1.28": Invalid, "1.30": Invalid}},
	{"a NUL", statusOK + "A: \x00\r\n\r\n", map[string]Verdict{"1.20": Invalid, "1.22": Invalid, "1.28": Invalid, "1.30": Invalid}},
	{"early hints", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", map[string]Verdict{"1.30": Hints}},
	{"early hints of HTTP/1.0", "HTTP/1.0 103 Early Hints\r\nLink: x\r\n\r\n", map[string]Verdict{"1.30": Invalid}},
	{"no colon", statusOK + "A\r\n\r\n", nil},
	{"a second status line", statusOK + statusOK + "\r\n", nil},
	{"no head at all", "garbage\r\n", nil},
}

func TestHeadOfVersions(t *testing.T) {
	for _, c := range heads {
		for _, v := range versions {
			want, ok := c.want[v]
			if !ok {
				want = Whole
			}
			var h Head
			h.Reset(version(t, v))
			if got := h.Scan([]byte(c.head)); got != want {
				t.Errorf("%s, nginx %s: %d, want %d", c.name, v, got, want)
			}
			if raw := c.name == "no head at all"; h.Raw != raw {
				t.Errorf("%s, nginx %s: HTTP/0.9 is %v", c.name, v, h.Raw)
			}
		}
	}
}

// A line is refused at its first wrong byte, not at its end: what the backend
// does afterwards doesn't matter any more.
func TestWrongBytesAreSeenAtOnce(t *testing.T) {
	for s, want := range map[string]Verdict{
		"HTTP/1.1 200 OK\r\nA: b\x00": Invalid, "HTTP/1.1 200 OK\r\nA: b\rc": Invalid, "HTTP/1.1 200 OK\r\nA b": Invalid,
		"HTTP/1.1 200 OK\r\nA: b\r": More, "HTTP/1.1 200 OK\r\nA": More, "HTT": More, "HTTX": Whole, "HTTP/1.1 20x": Whole,
	} {
		var h Head
		h.Reset(version(t, "1.22"))
		if got := h.Scan([]byte(s)); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

// A bare LF ends a line of chunks before 1.29.4.
func TestChunksOfVersions(t *testing.T) {
	for _, c := range []struct {
		text        string
		crlf, loose bool // accepted
	}{
		{"2\r\nok\r\n0\r\n\r\n", true, true}, {"2\nok\r\n0\r\n\r\n", false, true}, {"2\r\nok\n0\r\n\r\n", false, true},
		{"2;x\nok\r\n0\r\n\r\n", false, true}, {"2\r\nok\r\n0\n\r\n", false, true}, {"2\r\nok\r\n0\r\n\n", false, true},
		{"2\r\nok\r\n0\r\nA: b\n\r\n", false, true}, {"2\r\nokx", false, false}, {"x", false, false}, {"2\r\nok\r\n0\r\nA: b\r\n\r\n", true, true},
	} {
		for crlf, want := range map[bool]bool{true: c.crlf, false: c.loose} {
			d := Chunks{CRLF: crlf}
			if _, _, err := d.Decode([]byte(c.text)); (err == nil && d.Done) != want {
				t.Errorf("%q, strict %v: %v, done %v", c.text, crlf, err, d.Done)
			}
		}
	}
}

// A header that fits to the last byte leaves no room for its body.
func TestBodyIsStarved(t *testing.T) {
	head := []byte("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
	var h Head
	h.Reset(version(t, "1.22"))
	h.Scan(head)
	for first, want := range map[int]bool{len(head): true, len(head) + 1: false} {
		var b Body
		if b.Begin(&h, false, len(head), first, 4096); b.Starved() != want {
			t.Errorf("a buffer of %d bytes for a header of %d: starved %v", first, len(head), b.Starved())
		}
		if b.Begin(&h, true, len(head), first, 4096); b.Starved() {
			t.Error("nothing follows, so nothing is starved")
		}
	}
}

// Nothing is looked at before a page is full or all that is known to come is
// there, and Missing says how far that is.
func TestBodyWaits(t *testing.T) {
	for _, c := range []struct {
		name, head, body string
		first, at        int // proxy_buffer_size; how many bytes of the body have to come first
	}{
		{"length", "Content-Length: 10\r\n", "0123456789", 4096, 10},
		{"a full page", "Content-Length: 100\r\n", "0123456789", 45, 5},
		{"no length", "", "0123456789", 29, 10},
		{"chunks", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n", 4096, 3},
	} {
		var h Head
		head := []byte("HTTP/1.1 200 OK\r\n" + c.head + "\r\n")
		h.Reset(version(t, "1.22"))
		if h.Scan(head) != Whole {
			t.Fatal(c.name)
		}
		var b Body
		b.Begin(&h, false, len(head), c.first, 4096)
		if missing := b.Missing(0); missing != int64(c.at) {
			t.Errorf("%s: %d bytes are missing, want %d", c.name, missing, c.at)
		}
		for n := range len(c.body) + 1 {
			if got := b.Ready(n, false); (got > 0) != (n >= c.at) {
				t.Errorf("%s: of %d bytes %d are looked at", c.name, n, got)
			}
			if n >= c.at {
				break
			}
		}
	}
}

// Before 1.30.1 what had been read of an answer before it was taken for one of HTTP/0.9
// wasn't passed on.
func TestBeginOfRaw(t *testing.T) {
	for v, want := range map[string]int{"1.30.0": 4, "1.30.1": 0} {
		var h Head
		h.Reset(version(t, v))
		if got := h.Scan([]byte("HT")); got != More {
			t.Fatalf("%s: %d", v, got)
		}
		if got := h.Scan([]byte("HTTP")); got != More {
			t.Fatalf("%s: %d", v, got)
		}
		if got := h.Scan([]byte("HTTPS!")); got != Whole || !h.Raw || h.At != want {
			t.Errorf("%s: %d, raw %v, passed on from %d, want %d", v, got, h.Raw, h.At, want)
		}
		h.Reset(version(t, v))
		if got := h.Scan([]byte("HTTPS!")); got != Whole || h.At != 0 {
			t.Errorf("%s, in one: %d, passed on from %d", v, got, h.At)
		}
	}
}

// The first X-Accel-Redirect counts, also an empty one.
func TestRedirect(t *testing.T) {
	for lines, want := range map[string]string{
		"": "none", "X-Accel-Redirect: /a\r\nx-accel-redirect: /b\r\n": "/a", "X-ACCEL-REDIRECT:\r\nX-Accel-Redirect: /b\r\n": "",
	} {
		var h Head
		h.Reset(version(t, "1.22"))
		got := "none"
		if h.Scan([]byte(statusOK + lines + "\r\n")); h.Redirects {
			got = string(h.Redirect)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", lines, got, want)
		}
	}
}
