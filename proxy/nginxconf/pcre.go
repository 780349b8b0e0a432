package nginxconf

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// translator writes a pattern of PCRE down in the words of package regexp2, which
// has .NET's: groups have no names there, an item that is repeated is a group, and
// of bytes from 0x80 on there are the runes that stand for them.
type translator struct {
	in  string
	at  int
	out []byte
	// item is where the last item that may be repeated begins in out, -1 for none.
	item int
	open []group
	// names are those of the groups, the whole match first.
	names []string
	// extended is (?x): white space and comments are passed over.
	extended bool
}

// group is one that isn't closed yet.
type group struct {
	start    int
	extended bool // outside of it
}

// translate returns the pattern, and the names of its groups. The error is what
// PCRE would say, or what only PCRE can do.
func translate(pattern string) (expr string, names []string, err error) {
	r := &translator{in: pattern, item: -1, names: []string{""}}
	for r.at < len(r.in) {
		if err := r.next(); err != nil {
			return "", nil, err
		}
	}
	if len(r.open) > 0 {
		return "", nil, r.atEnd("missing closing parenthesis")
	}
	return string(r.out), r.names, nil
}

// next reads one item.
func (r *translator) next() error {
	c := r.in[r.at]
	if r.extended && r.skip(c) {
		return nil
	}
	switch c {
	case '\\':
		r.at++
		return r.escape()
	case '[':
		r.at++
		return r.class()
	case '(':
		r.at++
		return r.begin()
	case ')':
		r.at++
		return r.end()
	case '|':
		r.at++
		r.out, r.item = append(r.out, '|'), -1
		return nil
	case '.', '^', '$':
		r.at++
		r.put(string(c))
		return nil
	case '*', '+', '?':
		r.at++
		return r.repeat(string(c))
	case '{':
		if q := quantifier(r.in[r.at:]); q != "" {
			r.at += len(q)
			return r.repeat(q)
		}
	}
	r.at++
	r.put(char(c))
	return nil
}

// skip passes over white space and comments.
func (r *translator) skip(c byte) bool {
	switch {
	case c == ' ', c >= '\t' && c <= '\r':
		r.at++
	case c == '#':
		end := strings.IndexByte(r.in[r.at:], '\n')
		if end < 0 {
			end = len(r.in) - r.at - 1
		}
		r.at += end + 1
	default:
		return false
	}
	return true
}

// put writes an item.
func (r *translator) put(s string) {
	r.item = len(r.out)
	r.out = append(r.out, s...)
}

// repeat repeats the last item: as often as possible, with "?" as seldom, and
// with "+" without going back on it, which .NET has only as a group.
func (r *translator) repeat(q string) error {
	if r.item < 0 {
		return r.wrong(r.at-1, "quantifier does not follow a repeatable item")
	}
	kind, lazy := "(?:", ""
	if r.at < len(r.in) {
		switch r.in[r.at] {
		case '+':
			kind = "(?>"
			r.at++
		case '?':
			lazy = "?"
			r.at++
		}
	}
	item := string(r.out[r.item:])
	r.out = append(r.out[:r.item], kind+item+q+lazy+")"...)
	r.item = -1
	return nil
}

// quantifier is the {n}, {n,} or {n,m} that s begins with, "" for none: then the
// brace is one.
func quantifier(s string) string {
	inside, _, ok := strings.Cut(s[1:], "}")
	low, high, bounded := strings.Cut(inside, ",")
	if !ok || !digits(low) || bounded && high != "" && !digits(high) {
		return ""
	}
	return s[:len(inside)+2]
}

// begin reads what follows a "(".
func (r *translator) begin() error {
	rest := r.in[r.at:]
	switch {
	case strings.HasPrefix(rest, "*"):
		return errors.New("(*VERB) isn't known")
	case !strings.HasPrefix(rest, "?"):
		r.capture("", 0)
		return nil
	case strings.HasPrefix(rest, "?#"):
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return r.atEnd("missing ) after (?# comment")
		}
		r.at += end + 1
		return nil
	}
	for _, p := range []string{"?:", "?=", "?!", "?>", "?<=", "?<!"} {
		if strings.HasPrefix(rest, p) {
			r.enter("("+p, len(p))
			return nil
		}
	}
	for _, p := range []struct{ open, close string }{{"?P<", ">"}, {"?<", ">"}, {"?'", "'"}} {
		if name, ok := strings.CutPrefix(rest, p.open); ok {
			name, _, closed := strings.Cut(name, p.close)
			if !closed || name == "" {
				return errors.New("syntax error in subpattern name (missing terminator?)")
			}
			r.capture(name, len(p.open)+len(name)+1)
			return nil
		}
	}
	if name, ok := strings.CutPrefix(rest, "?P="); ok {
		name, _, _ = strings.Cut(name, ")")
		r.at += len("?P=)") + len(name)
		return r.back(name)
	}
	if strings.HasPrefix(rest, "?(") {
		return r.conditional(rest[2:])
	}
	return r.options(rest[1:])
}

// capture opens a group that captures. It says its number: behind a condition
// that looks around, regexp2 counts one too few.
func (r *translator) capture(name string, n int) {
	r.enter(fmt.Sprintf("(?<%d>", len(r.names)), n)
	r.names = append(r.names, name)
}

// enter opens a group; n is how much of the pattern its beginning takes.
func (r *translator) enter(as string, n int) {
	r.open = append(r.open, group{len(r.out), r.extended})
	r.out, r.item = append(r.out, as...), -1
	r.at += n
}

// end closes a group.
func (r *translator) end() error {
	if len(r.open) == 0 {
		return r.wrong(r.at-1, "unmatched closing parenthesis")
	}
	g := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	r.out = append(r.out, ')')
	r.item, r.extended = g.start, g.extended
	return nil
}

// conditional reads "(?(" and its condition: a group, or a look around.
func (r *translator) conditional(rest string) error {
	if strings.HasPrefix(rest, "?") {
		r.enter("(?", 1) // what follows is a group of its own
		return nil
	}
	name, _, _ := strings.Cut(rest, ")")
	n, err := r.group(strings.Trim(name, "<>'"))
	if err != nil {
		return err
	}
	r.enter(fmt.Sprintf("(?(%d)", n), len("?()")+len(name))
	return nil
}

// options reads the letters of "(?i)" or "(?i:".
func (r *translator) options(rest string) error {
	end := strings.IndexAny(rest, "):")
	if end < 0 {
		return r.atEnd("missing closing parenthesis")
	}
	extended, sign, written := r.extended, "", ""
	for _, c := range rest[:end] {
		switch c {
		case '-':
			sign = "-"
			written += "-"
		case 'i', 'm', 's':
			written += string(c)
		case 'x':
			extended = sign == ""
		default:
			return fmt.Errorf("(?%s isn't known", rest[:end])
		}
	}
	written = strings.TrimSuffix(written, "-")
	if rest[end] == ':' {
		r.enter("(?"+written+":", end+2)
	} else {
		r.at += end + 2
		r.item = -1
		if written != "" {
			r.out = append(r.out, "(?"+written+")"...)
		}
	}
	r.extended = extended
	return nil
}

// back writes a reference to what a group has matched.
func (r *translator) back(name string) error {
	n, err := r.group(name)
	if err != nil {
		return err
	}
	r.put(fmt.Sprintf(`\k<%d>`, n))
	return nil
}

// group is the number of a group by its number, its name, or how far back it began.
func (r *translator) group(name string) (int, error) {
	if n, err := strconv.Atoi(name); err == nil {
		if n < 0 {
			n += len(r.names)
		}
		if n > 0 {
			return n, nil
		}
	}
	for i, n := range r.names {
		if n == name && n != "" {
			return i, nil
		}
	}
	return 0, errors.New("reference to non-existent subpattern")
}

// char is one byte as a literal.
func char(c byte) string {
	switch {
	case c >= 0x80:
		return fmt.Sprintf(`\u%04x`, highRune+int(c))
	case c == '_', c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z':
		return string(c)
	}
	return fmt.Sprintf(`\x%02x`, c)
}
