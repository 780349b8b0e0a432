package nginxconf

import (
	"bytes"
	"fmt"
	"strings"
)

// bufferSize is nginx's NGX_CONF_BUFFER: a parameter, or a comment, that
// doesn't fit is an error.
const bufferSize = 4096

// terminator is what ended the words of a directive.
type terminator uint8

const (
	atSemicolon terminator = iota
	atOpen                 // "{"
	atClose                // "}"
	atEnd                  // end of the file
)

// lexer reads words as nginx's ngx_conf_read_token does, byte by byte and with
// its oddities; unlike nginx it carries on after a mistake.
type lexer struct {
	file *File
	src  []byte
	pos  int
	out  *problems
}

// state is where the lexer is within a word.
type state struct {
	start     int  // first byte of the word, after its quote
	lastSpace bool // between words
	needSpace bool // after a closing quote
	quoted    bool // after a backslash
	variable  bool // after "$": "{" belongs to the word
	comment   bool
	quote     byte // ' or " inside quotes
}

// next returns the words up to the next terminator, and the terminator's span.
func (l *lexer) next() (words []Word, end terminator, at Span) {
	s := state{start: l.pos, lastSpace: true}
	for {
		if l.pos >= len(l.src) {
			return l.atEOF(words, s)
		}
		if l.pos-s.start == bufferSize {
			l.tooLong(s)
			l.pos = len(l.src)
			return words, atEnd, Span{l.pos, l.pos}
		}
		ch := l.src[l.pos]
		l.pos++
		if ch == '\n' {
			s.comment = false
		}
		if s.comment {
			continue
		}
		if s.quoted {
			s.quoted = false
			continue
		}
		here := Span{l.pos - 1, l.pos}
		if s.needSpace {
			switch {
			case isSpace(ch):
				s.lastSpace, s.needSpace = true, false
				continue
			case ch == ';':
				return words, atSemicolon, here
			case ch == '{':
				return words, atOpen, here
			case ch != ')' && ch != '}': // "}" is complained about below
				l.out.add(l.file.Pos(here.Start), "a closing quote ends the word; put a space after it, or \\ before a quote inside",
					"unexpected \"%s\"", letter(ch))
			}
			s.lastSpace, s.needSpace = true, false
		}
		if s.lastSpace {
			s.start = here.Start
			if isSpace(ch) {
				continue
			}
			switch ch {
			case ';', '{':
				if len(words) > 0 {
					return words, terminatorOf(ch), here
				}
				l.out.add(l.file.Pos(here.Start), "", "unexpected \"%c\"", ch)
				if l.out.full() {
					l.pos = len(l.src)
				}
				if ch == '{' {
					return nil, atOpen, here
				}
				continue
			case '}':
				if len(words) > 0 {
					l.out.add(l.file.Pos(here.Start), l.noSemicolon(words[len(words)-1]), "unexpected \"}\"")
				}
				return words, atClose, here
			case '#':
				s.comment = true
				continue
			case '\\':
				s.quoted = true
			case '"', '\'':
				s.start++
				s.quote = ch
			case '$':
				s.variable = true
			}
			s.lastSpace = false
			continue
		}
		if ch == '{' && s.variable {
			continue
		}
		s.variable = false
		switch {
		case ch == '\\':
			s.quoted = true
			continue
		case ch == '$':
			s.variable = true
			continue
		case s.quote != 0:
			if ch != s.quote {
				continue
			}
			words = append(words, Word{unescape(l.src[s.start:here.Start]), Span{s.start - 1, l.pos}})
			s.quote, s.needSpace = 0, true
			continue
		case !isSpace(ch) && ch != ';' && ch != '{':
			continue
		}
		words = append(words, Word{unescape(l.src[s.start:here.Start]), Span{s.start, here.Start}})
		s.lastSpace = true
		if ch == ';' || ch == '{' {
			return words, terminatorOf(ch), here
		}
	}
}

// atEOF ends the last directive of a file.
func (l *lexer) atEOF(words []Word, s state) ([]Word, terminator, Span) {
	end := Span{len(l.src), len(l.src)}
	if len(words) == 0 && s.lastSpace {
		return nil, atEnd, end
	}
	hint := "\";\" is missing"
	switch {
	case s.quote != 0:
		hint = "the quote opened at " + l.file.place(s.start-1) + " isn't closed"
	case !s.lastSpace && !s.needSpace && !s.quoted:
		w := Word{unescape(l.src[s.start:]), Span{s.start, len(l.src)}}
		words = append(words, w)
		hint = l.noSemicolon(w)
	}
	l.out.add(l.file.Pos(len(l.src)), hint, `unexpected end of file, expecting ";" or "}"`)
	return words, atEnd, end
}

// noSemicolon is the hint about a missing ";" after the word w.
func (l *lexer) noSemicolon(w Word) string {
	at := quoteShort(w.Text) + " at " + l.file.place(w.Span.Start)
	if strings.HasSuffix(w.Text, "}") {
		return "\"}\" is part of the word " + at + "; \";\" is missing before it"
	}
	return "\";\" is missing after " + at
}

// tooLong says that a word or a comment doesn't fit nginx's buffer.
func (l *lexer) tooLong(s state) {
	pos := l.file.Pos(s.start)
	if s.quote != 0 {
		l.out.add(pos, "", "too long parameter, probably missing terminating \"%c\" character", s.quote)
		return
	}
	l.out.add(pos, "nginx reads words and comments of up to 4096 bytes", "too long parameter \"%s...\" started", l.src[s.start:s.start+10])
}

func terminatorOf(ch byte) terminator {
	if ch == '{' {
		return atOpen
	}
	return atSemicolon
}

// letter is a byte for a message.
func letter(ch byte) string {
	if ch < ' ' || ch >= 0x7f {
		return fmt.Sprintf("\\x%02x", ch)
	}
	return string(rune(ch))
}

func isSpace(ch byte) bool { return ch == ' ' || ch == '\t' || ch == '\r' || ch == '\n' }

// unescape resolves the escapes of a word: \" \' \\ \t \r \n; any other
// backslash stays.
func unescape(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) {
			switch raw[i+1] {
			case '"', '\'', '\\':
				i++
			case 't':
				i++
				out = append(out, '\t')
				continue
			case 'r':
				i++
				out = append(out, '\r')
				continue
			case 'n':
				i++
				out = append(out, '\n')
				continue
			}
		}
		out = append(out, raw[i])
	}
	return string(out)
}

// quoteShort is a word for a message.
func quoteShort(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "..."
	}
	return "\"" + s + "\""
}
