package fault_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"rsc.io/pdf"

	"github.com/nolive/nolive/backends/fault"
)

// Any way of cutting a response into pieces gives the same bytes.
func TestPiecesMakeTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := fault.Respond(fault.RespondSpec{Body: "literal text"}).Response
		switch rapid.IntRange(0, 3).Draw(t, "content") {
		case 3:
			r = fault.Respond(fault.RespondSpec{
				Framing: "chunked", Interim: 103, Size: fault.Size(rapid.IntRange(0, 5000).Draw(t, "size")),
				Chunk: fault.Size(rapid.IntRange(0, 700).Draw(t, "chunk")), Trailers: []fault.Header{{"X-Sum", "5"}},
			}).Response
		case 0:
			r.Body = fault.Body{Size: rapid.Int64Range(0, 5000).Draw(t, "size")}
		case 1:
			r.Body = fault.Body{Size: rapid.Int64Range(1024, 20000).Draw(t, "size"), PDF: true}
		}
		whole := r.Append(nil, 0, r.Size()+100)
		if int64(len(whole)) != r.Size() {
			t.Fatalf("the whole has %d bytes, want %d", len(whole), r.Size())
		}
		var got []byte
		for int64(len(got)) < r.Size() {
			n := rapid.Int64Range(1, 3000).Draw(t, "n")
			got = r.Append(got, int64(len(got)), n)
		}
		if !bytes.Equal(got, whole) {
			t.Fatal("the pieces differ from the whole")
		}
		if out := r.Append(nil, r.Size(), 1); out != nil {
			t.Fatalf("there is %q after the end", out)
		}
	})
}

// Chunks are what a library makes of the same body.
func TestChunksAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 5000).Draw(t, "size")
		r := fault.Respond(fault.RespondSpec{
			Framing: "chunked", Size: fault.Size(size), Chunk: fault.Size(rapid.IntRange(0, 700).Draw(t, "chunk")),
			Trailers: []fault.Header{{"X-Sum", "5"}},
		}).Response
		res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(r.Append(nil, 0, r.Size()))), nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		want := (&fault.Body{Size: size}).Append(nil, 0, size)
		if err != nil || !bytes.Equal(got, want) || res.Trailer.Get("X-Sum") != "5" {
			t.Fatalf("got %d bytes, %v and the trailer %v, want %d", len(got), err, res.Trailer, size)
		}
	})
}

func TestHeaderOfAnySize(t *testing.T) {
	for _, size := range []int{49, 50, 1061, 1062, 1063, 1071, 1072, 1073, 2100, 9 << 10} {
		r := meaning(t, &fault.RespondSpec{HeaderSize: fault.Size(size)}).Script.Response
		res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(r.Append(nil, 0, r.Size()))), nil)
		if err != nil || len(r.Head) != size || res.ContentLength != 3 {
			t.Errorf("%d: the head has %d bytes: %v", size, len(r.Head), err)
		}
	}
}

func TestFillerShowsAHole(t *testing.T) {
	b := fault.Body{Size: 1 << 20}
	lines := bytes.Split(b.Append(nil, 0, b.Size), []byte("\n"))
	for i, l := range lines[:len(lines)-1] {
		if want := fmt.Sprintf(". %013d ", i*64); !bytes.HasPrefix(l, []byte(want)) || len(l) != 63 {
			t.Fatalf("line %d is %q, want %q and dashes", i, l, want)
		}
	}
}

// The document is valid for every size: the cross-reference table points at the
// objects, the stream has the length it announces, and the end is where
// startxref says.
func TestPDFIsValidForEverySize(t *testing.T) {
	sizes := []int64{1 << 10, 1<<10 + 1, 9999, 10000, 65535, 99_999, 100_000, 2 << 20}
	for _, size := range sizes {
		checkPDF(t, size)
	}
	rapid.Check(t, func(t *rapid.T) { checkPDF(t, rapid.Int64Range(1<<10, 200_000).Draw(t, "size")) })
}

type tb interface {
	Helper()
	Fatalf(string, ...any)
}

func checkPDF(t tb, size int64) {
	t.Helper()
	b := fault.Body{Size: size, PDF: true}
	doc := b.Append(nil, 0, size)
	parsePDF(t, doc, size)
	openPDF(t, doc)
}

// openPDF fails unless somebody else's reader opens the document and finds its text.
func openPDF(t tb, doc []byte) {
	t.Helper()
	r, err := pdf.NewReader(bytes.NewReader(doc), int64(len(doc)))
	if err != nil {
		t.Fatalf("%d bytes: %v", len(doc), err)
	}
	if n := r.NumPage(); n != 1 {
		t.Fatalf("%d bytes: %d pages, want 1", len(doc), n)
	}
	var said strings.Builder
	for _, piece := range r.Page(1).Content().Text {
		said.WriteString(piece.S)
	}
	if said.String() != "Month-endreport" { // it leaves blanks out
		t.Fatalf("%d bytes: the page says %q", len(doc), said.String())
	}
}

// parsePDF fails unless doc is a valid document of size bytes.
func parsePDF(t tb, doc []byte, size int64) {
	t.Helper()
	if int64(len(doc)) != size || !bytes.HasPrefix(doc, []byte("%PDF-1.4\n")) {
		t.Fatalf("%d bytes beginning with %.9q, want %d", len(doc), doc, size)
	}
	end := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(doc)
	if end == nil {
		t.Fatalf("size %d: no startxref and %%%%EOF at the end", size)
	}
	at, _ := strconv.Atoi(string(end[1]))
	if at >= len(doc) || !bytes.HasPrefix(doc[at:], []byte("xref\n0 6\n0000000000 65535 f \n")) {
		t.Fatalf("size %d: startxref %d doesn't point at xref", size, at)
	}
	table := doc[at+len("xref\n0 6\n0000000000 65535 f \n"):]
	for n := 1; n <= 5; n++ {
		entry := table[(n-1)*20 : n*20]
		off, err := strconv.Atoi(string(entry[:10]))
		if err != nil || string(entry[10:]) != " 00000 n \n" {
			t.Fatalf("size %d: entry %d is %q", size, n, entry)
		}
		if want := fmt.Sprintf("%d 0 obj\n", n); !bytes.HasPrefix(doc[off:], []byte(want)) {
			t.Fatalf("size %d: entry %d points at %.10q, want %q", size, n, doc[off:], want)
		}
	}
	stream := regexp.MustCompile(`/Length (\d+) >>\nstream\n`).FindSubmatchIndex(doc)
	length, _ := strconv.Atoi(string(doc[stream[2]:stream[3]]))
	if !bytes.HasPrefix(doc[stream[1]+length:], []byte("\nendstream\nendobj\nxref\n")) {
		t.Fatalf("size %d: the stream doesn't end after its %d bytes", size, length)
	}
	if !bytes.HasPrefix(table[100:], []byte("trailer\n<< /Size 6 /Root 1 0 R >>\n")) {
		t.Fatalf("size %d: no trailer after the table", size)
	}
}

func BenchmarkPDF(b *testing.B) {
	body := fault.Body{Size: 2 << 20, PDF: true}
	buf := make([]byte, 0, 64<<10)
	b.SetBytes(body.Size)
	for b.Loop() {
		for off := int64(0); off < body.Size; off += 64 << 10 {
			buf = body.Append(buf[:0], off, 64<<10)
		}
	}
}

// The sizes that a log has of whole responses are those that go over the wire.
func TestUnannounced(t *testing.T) {
	answers := func(s fault.RespondSpec) fault.Rule { return fault.Rule{Do: fault.Fault{Script: fault.Respond(s)}} }
	drip := meaning(t, &fault.DripSpec{RespondSpec: fault.RespondSpec{Framing: "chunked", Body: "chunks in drops"}})
	rules := fault.Rules{
		{Do: drip},
		answers(fault.RespondSpec{Body: "plain"}),
		answers(fault.RespondSpec{Framing: "chunked", Body: "ab", Chunk: 1, Trailers: []fault.Header{{"A", "b"}}}),
		answers(fault.RespondSpec{Framing: "chunked", Body: "chunks in place"}),
		{Do: meaning(t, &fault.RespondSpec{Framing: "close", Body: "to the end"})},
		{Do: meaning(t, &fault.RespondSpec{Framing: "close", Body: "to no end", Then: "hang"})},
		{Do: meaning(t, &fault.MalformedSpec{What: "broken_chunk"})},
		{Do: meaning(t, &fault.MalformedSpec{What: "length_and_chunked"})},
	}
	var want []int64
	for _, text := range []string{"f\r\nchunks in drops\r\n0\r\n\r\n", "1\r\na\r\n1\r\nb\r\n0\r\nA: b\r\n\r\n"} {
		want = append(want, int64(len(text)))
	}
	want = append(want, int64(len("to the end")), int64(len("5\r\nhello\r\n0\r\n\r\n")))
	if got := rules.Unannounced(); !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}
