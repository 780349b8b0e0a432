package nginxconf

import (
	"errors"
	"strconv"
	"strings"
)

// escape reads what follows a "\" outside of a class.
func (r *translator) escape() error {
	if r.at == len(r.in) {
		return r.atEnd(`\ at end of pattern`)
	}
	switch c := r.in[r.at]; c {
	case 'Q':
		text, _, _ := strings.Cut(r.in[r.at+1:], `\E`)
		for i := range len(text) {
			r.put(char(text[i]))
		}
		r.at = min(r.at+1+len(text)+2, len(r.in))
		return nil
	case 'E':
		r.at++
		return nil
	case 'g', 'k':
		return r.named(c)
	case 'A', 'Z', 'z', 'G', 'b', 'B':
		r.at++
		r.put(`\` + string(c))
		return nil
	case 'N':
		r.at++
		r.put(`[^\n]`)
		return nil
	case 'R':
		r.at++
		r.put(`(?>\r\n|[\n\v\f\r` + char(0x85) + `])`)
		return nil
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		n := len(r.in[r.at:]) - len(strings.TrimLeft(r.in[r.at:], "0123456789"))
		number := r.in[r.at : r.at+n]
		if v, _ := strconv.Atoi(number); v < 10 || c >= '8' || v < len(r.names) {
			r.at += n
			return r.back(number)
		}
	}
	if set := shorthand(r.in[r.at]); set != nil {
		r.at++
		r.put(set.text(false))
		return nil
	}
	c, err := r.code()
	if err == nil {
		r.put(char(c))
	}
	return err
}

// named reads \g{1}, \g-1, \k<name> and their like.
func (r *translator) named(c byte) error {
	rest := r.in[r.at+1:]
	closing := map[byte]string{'{': "}"}
	if c == 'k' {
		closing['<'], closing['\''] = ">", "'"
	}
	if rest != "" {
		if end := closing[rest[0]]; end != "" {
			name, _, ok := strings.Cut(rest[1:], end)
			if !ok {
				return errors.New(`\` + string(c) + " is not followed by a name or a number in its braces")
			}
			r.at += len(name) + 3
			return r.back(name)
		}
	}
	n := len(rest) - len(strings.TrimLeft(rest, "+-0123456789"))
	if c == 'k' || n == 0 {
		return errors.New(`\` + string(c) + " of this form isn't known")
	}
	r.at += n + 1
	return r.back(rest[:n])
}

// code reads the rest of an escape that stands for one byte.
func (r *translator) code() (byte, error) {
	c := r.in[r.at]
	r.at++
	switch c {
	case 'a':
		return 7, nil
	case 'e':
		return 0x1b, nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'c':
		if r.at == len(r.in) {
			return 0, r.atEnd(`\c at end of pattern`)
		}
		r.at++
		c = r.in[r.at-1]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		return c ^ 0x40, nil
	case 'x':
		return r.number("0123456789abcdefABCDEF", 16, 2, true)
	case 'o':
		return r.number("01234567", 8, 0, true)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		r.at--
		return r.number("01234567", 8, 3, false)
	}
	if unescaped(c) {
		return 0, r.wrong(r.at-1, `unrecognized character follows \`)
	}
	if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' {
		return 0, errors.New(`unrecognized character follows \: ` + string(c))
	}
	return c, nil
}

// number reads a byte's number: at most so many digits, or any in braces.
func (r *translator) number(of string, base, most int, braces bool) (byte, error) {
	rest := r.in[r.at:]
	text := rest[:len(rest)-len(strings.TrimLeft(rest, of))]
	text = text[:min(most, len(text))]
	r.at += len(text)
	if inside, ok := strings.CutPrefix(rest, "{"); ok && braces {
		if text, _, ok = strings.Cut(inside, "}"); !ok {
			return 0, errors.New("missing terminating }")
		}
		r.at += len(text) + 2
	}
	n, err := strconv.ParseUint("0"+text, base, 32)
	if err != nil || n > 0xff {
		return 0, errors.New("character code point value in \\x{} or \\o{} is too large: " + text)
	}
	return byte(n), nil
}
