package nginxconf

import (
	"bytes"
	"sort"
	"strconv"
	"strings"
)

// lineMap says where the bytes of a rendered text come from.
type lineMap struct{ pieces []piece }

// piece is a run of copied bytes, or, with an empty span, a replacement.
type piece struct {
	at   int // offset in the rendered text
	file *File
	span Span
}

func (m *lineMap) add(at int, f *File, s Span) { m.pieces = append(m.pieces, piece{at, f, s}) }

// pos is the place of the first of the user's bytes within [start, end) of the
// rendered text that isn't blank.
func (m *lineMap) pos(text []byte, start, end int) (Pos, bool) {
	n := sort.Search(len(m.pieces), func(i int) bool {
		p := m.pieces[i]
		return p.at+max(p.span.End-p.span.Start, 1) > start
	})
	for ; n < len(m.pieces) && m.pieces[n].at < end; n++ {
		p := m.pieces[n]
		if p.span.Start == p.span.End {
			return p.file.Pos(p.span.Start), true
		}
		from := max(start, p.at)
		to := min(end, p.at+p.span.End-p.span.Start)
		line := text[from:to]
		if blank := len(line) - len(bytes.TrimLeft(line, " \t\r\n")); blank < len(line) {
			return p.file.Pos(p.span.Start + from - p.at + blank), true
		}
	}
	return Pos{}, false
}

// Pos is the place in the user's text that a line of the rendered text, from
// 1, comes from; false for a line that was added.
func (r *Rendered) Pos(line int) (Pos, bool) {
	start := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(r.Text[start:], '\n')
		if i < 0 {
			return Pos{}, false
		}
		start += i + 1
	}
	end := len(r.Text)
	if i := bytes.IndexByte(r.Text[start:], '\n'); i >= 0 {
		end = start + i
	}
	return r.lines.pos(r.Text, start, end)
}

// Problem turns a message of nginx, "... [emerg] ... in FILE:LINE", into a
// problem at the place in the user's text; false when it has no place there.
func (r *Rendered) Problem(message string) (Problem, bool) {
	text := strings.TrimSpace(message)
	colon := strings.LastIndexByte(text, ':')
	in := strings.LastIndex(text, " in ")
	if colon < 0 || in < 0 || in > colon {
		return Problem{}, false
	}
	line, err := strconv.Atoi(text[colon+1:])
	if err != nil || line < 1 {
		return Problem{}, false
	}
	pos, ok := r.Pos(line)
	if !ok {
		return Problem{}, false
	}
	text = text[:in]
	for _, level := range []string{"[emerg] ", "[alert] ", "[crit] ", "[error] ", "[warn] "} {
		if _, after, ok := strings.Cut(text, level); ok {
			text = after
			break
		}
	}
	// With a log file there is "pid#thread: " before the text.
	if id, after, ok := strings.Cut(text, ": "); ok && strings.Trim(id, "0123456789#*") == "" {
		text = after
	}
	return Problem{Pos: pos, Text: text}, true
}
