package wire

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/proxy/upstream"
)

// versions are one on each side of every switch that heads know.
var versions = []string{"1.20", "1.22", "1.28", "1.30"}

func version(t testing.TB, s string) upstream.Version {
	t.Helper()
	v, err := upstream.ParseVersion(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// However a response head is cut into reads, it means the same, and to give more
// of what was decided already changes nothing.
func FuzzHead(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
		"HTTP/1.0 404\n\n", "HTTP/1.1 200 OK\rX\r\n\r\n", "HTTP/0.9 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", "HTTP/1.1 200 OK\r\n: c\r\n\r\n",
		"garbage", "", "H", "HTTP/1.1  200 OK\r\nTransfer-Encoding: Chunked\r\nA: b\rc\r\n\r\n", "HTTP/1.1 200 OK\r\nA: \x00\r\n\r\n",
		"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n::\x01a b: c\r\n\r\n",
	} {
		for i := range versions {
			f.Add([]byte(s), uint8(1), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, step, as uint8) {
		v := version(t, versions[int(as)%len(versions)])
		var once, cut Head
		once.Reset(v)
		cut.Reset(v)
		whole := once.Scan(data)
		pieces := More
		for n := 0; n < len(data) && pieces == More; {
			n = min(n+int(step)+1, len(data))
			pieces = cut.Scan(data[:n])
		}
		if whole != pieces {
			t.Fatalf("at once %d, in pieces %d", whole, pieces)
		}
		if once.At > len(data) || once.Status < 0 || once.Status > 999 {
			t.Fatalf("status %d, goes on at %d of %d", once.Status, once.At, len(data))
		}
		if once.Raw && cut.Raw {
			cut.At, cut.passed = 0, 0 // TestBeginOfRaw
		}
		if d := cmp.Diff(fmt.Sprintf("%+v", once), fmt.Sprintf("%+v", cut)); d != "" && whole == Whole {
			t.Fatal(d)
		}
	})
}

// However a chunked body is cut into reads, it decodes to the same.
func FuzzChunks(f *testing.F) {
	for _, s := range []string{"5\r\nhello\r\n0\r\n\r\n", "0\n\n", "a;b=c\n0123456789\nF\r\n", "00000000000000000000000001\r\nx\r\n0\r\nA: b\r\n\r\nrest", "g", "ffffffffffffffffffff\r\n"} {
		f.Add([]byte(s), uint8(0), false)
		f.Add([]byte(s), uint8(2), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, step uint8, crlf bool) {
		once, cut := Chunks{CRLF: crlf}, Chunks{CRLF: crlf}
		b := bytes.Clone(data)
		n, used, err := once.Decode(b)
		var got []byte
		var gotUsed int
		var gotErr error
		for gotUsed < len(data) && !cut.Done && gotErr == nil {
			piece := bytes.Clone(data[gotUsed:min(gotUsed+int(step)+1, len(data))])
			k, u, err := cut.Decode(piece)
			got, gotUsed, gotErr = append(got, piece[:k]...), gotUsed+u, err
		}
		if !bytes.Equal(b[:n], got) || used != gotUsed || (err == nil) != (gotErr == nil) || once.Done != cut.Done {
			t.Fatalf("at once %q %d %v %v, in pieces %q %d %v %v", b[:n], used, err, once.Done, got, gotUsed, gotErr, cut.Done)
		}
	})
}
