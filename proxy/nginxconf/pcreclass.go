package nginxconf

import "strings"

// bytesOf is a set of bytes: what a class of PCRE holds where text is bytes.
type bytesOf [256]bool

func (s *bytesOf) add(low, high byte) {
	for c := int(low); c <= int(high); c++ {
		s[c] = true
	}
}

func (s *bytesOf) join(other *bytesOf, not bool) {
	for c := range s {
		s[c] = s[c] || other[c] != not
	}
}

// text is the set as a class, or what isn't in it.
func (s *bytesOf) text(not bool) string {
	out := "["
	if not {
		out = "[^"
	}
	for c := 0; c < len(s); c++ {
		if !s[c] {
			continue
		}
		last := c
		// The runes for the bytes from 0x80 on aren't next to the others.
		for last+1 < len(s) && s[last+1] && last != 0x7f {
			last++
		}
		out += char(byte(c))
		if last > c {
			out += "-" + char(byte(last))
		}
		c = last
	}
	return out + "]"
}

// ranges makes a set of pairs: from, to.
func ranges(pairs string) *bytesOf {
	var s bytesOf
	for i := 0; i < len(pairs); i += 2 {
		s.add(pairs[i], pairs[i+1])
	}
	return &s
}

// classes are PCRE's sets by name, in the C locale.
var classes = map[string]*bytesOf{
	"alnum": ranges("09AZaz"), "alpha": ranges("AZaz"), "ascii": ranges("\x00\x7f"), "blank": ranges("\t\t  "),
	"cntrl": ranges("\x00\x1f\x7f\x7f"), "digit": ranges("09"), "graph": ranges("!~"), "lower": ranges("az"),
	"print": ranges(" ~"), "punct": ranges("!/:@[`{~"), "space": ranges("\t\r  "), "upper": ranges("AZ"),
	"word": ranges("09AZaz__"), "xdigit": ranges("09AFaf"),
}

// shorthands are those that a letter stands for; the capital is what isn't in it.
var shorthands = map[byte]*bytesOf{
	'd': classes["digit"], 's': classes["space"], 'w': classes["word"],
	'h': ranges("\t\t  \xa0\xa0"), 'v': ranges("\n\r\x85\x85"),
}

// shorthand is the set that a letter behind "\" stands for, nil for none.
func shorthand(c byte) *bytesOf {
	if s := shorthands[c]; s != nil {
		return s
	}
	s := shorthands[c|0x20]
	if s == nil || c < 'A' || c > 'Z' {
		return nil
	}
	var not bytesOf
	not.join(s, true)
	return &not
}

// class reads what follows a "[".
func (r *translator) class() error {
	var all bytesOf
	not := strings.HasPrefix(r.in[r.at:], "^")
	if not {
		r.at++
	}
	for first := true; ; first = false {
		rest := r.in[r.at:]
		switch {
		case rest == "":
			return r.atEnd("missing terminating ] for character class")
		case rest[0] == ']' && !first:
			r.at++
			r.put(all.text(not))
			return nil
		case strings.HasPrefix(rest, `\Q`):
			text, _, _ := strings.Cut(rest[2:], `\E`)
			for i := range len(text) {
				all[text[i]] = true
			}
			r.at = min(r.at+len(text)+4, len(r.in))
			continue
		case strings.HasPrefix(rest, `\E`):
			r.at += 2
			continue
		}
		low, set, err := r.member()
		if err != nil {
			return err
		}
		high := low
		if rest := r.in[r.at:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			dash := r.at
			r.at++
			second := r.at
			var other *bytesOf
			if high, other, err = r.member(); err != nil {
				return err
			}
			switch {
			case set != nil:
				return r.wrong(dash, "invalid range in character class")
			case other != nil:
				return r.wrong(r.at, "invalid range in character class")
			case high < low:
				return r.wrong(second, "range out of order in character class")
			}
		}
		if set != nil {
			all.join(set, false)
			continue
		}
		all.add(low, high)
	}
}

// member reads one byte of a class, or a set.
func (r *translator) member() (byte, *bytesOf, error) {
	rest := r.in[r.at:]
	if named, ok := strings.CutPrefix(rest, "[:"); ok {
		if name, _, ok := strings.Cut(named, ":]"); ok && !strings.ContainsAny(name, `]\`) {
			set := classes[strings.TrimPrefix(name, "^")]
			if set == nil {
				return 0, nil, r.wrong(r.at+2, "unknown POSIX class name")
			}
			var out bytesOf
			out.join(set, strings.HasPrefix(name, "^"))
			r.at += len(name) + 4
			return 0, &out, nil
		}
	}
	r.at++
	if rest[0] != '\\' {
		return rest[0], nil, nil
	}
	if r.at == len(r.in) {
		return 0, nil, r.atEnd(`\ at end of pattern`)
	}
	if c := r.in[r.at]; c == 'b' {
		r.at++
		return '\b', nil, nil
	} else if set := shorthand(c); set != nil {
		r.at++
		return 0, set, nil
	}
	c, err := r.code()
	return c, nil, err
}
