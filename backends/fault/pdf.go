package fault

import (
	"fmt"
	"strings"
)

// pdf is one valid PDF document of any size from a few hundred bytes: a header,
// a catalog, one page, a font, and a content stream padded with comments. Only
// the frame around the padding exists in memory.
type pdf struct {
	front, back string
	size        int64
}

// newPDF lays out a document of exactly size bytes. The two numbers that depend
// on the size are written with ten digits, so that every size has a solution.
func newPDF(size int64) pdf {
	var front, xref strings.Builder
	front.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	object := func(format string, args ...any) {
		fmt.Fprintf(&xref, "%010d 00000 n \n", front.Len())
		fmt.Fprintf(&front, format, args...)
	}
	object("1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n")
	object("2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n")
	object("3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] " +
		"/Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>\nendobj\n")
	object("4 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n")
	const text = "BT /F1 24 Tf 72 720 Td (Month-end report) Tj ET\n"
	const end = "\nendstream\nendobj\n"
	const tail = "xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%010d\n%%%%EOF\n"

	const stream = "5 0 obj\n<< /Length %010d >>\nstream\n"
	at := front.Len()
	offsets := xref.String() + fmt.Sprintf("%010d 00000 n \n", at)
	start := int64(at + len(fmt.Sprintf(stream, 0)))
	table := size - int64(len(fmt.Sprintf(tail, offsets, 0)))
	length := table - int64(len(end)) - start
	fmt.Fprintf(&front, stream+text, length)
	return pdf{front: front.String(), back: end + fmt.Sprintf(tail, offsets, table), size: size}
}

// append adds n bytes from off; the caller keeps both within the document.
func (d *pdf) append(dst []byte, off, n int64) []byte {
	for n > 0 {
		var part int64
		back := d.size - int64(len(d.back))
		switch {
		case off < int64(len(d.front)):
			part = min(n, int64(len(d.front))-off)
			dst = append(dst, d.front[off:off+part]...)
		case off < back:
			part = min(n, back-off)
			dst = appendLines(dst, off, part, '%')
		default:
			part = n
			dst = append(dst, d.back[off-back:off-back+part]...)
		}
		off, n = off+part, n-part
	}
	return dst
}
