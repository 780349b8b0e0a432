package nginxconf

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Regex is a regular expression of the configuration. nginx has PCRE, Go has
// RE2: what both know means the same in both, and what only PCRE knows
// (lookaround, backreferences, possessive quantifiers) can't be compiled.
type Regex struct {
	re *regexp.Regexp
	// names are the named groups: they become variables.
	names []string
}

// highRune is where the bytes from 0x80 on are put for matching. nginx matches
// bytes; these runes have no case, are no letters and stand for one byte each.
const highRune = 0xE000

// compileRegex compiles a pattern. The error says why Go can't have it.
func compileRegex(pattern string, caseless bool) (*Regex, error) {
	expr := widen(pattern)
	if caseless {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		var why *syntax.Error
		if errors.As(err, &why) {
			return nil, errors.New(why.Code.String() + ": " + why.Expr)
		}
		return nil, err
	}
	return &Regex{re, re.SubexpNames()}, nil
}

// match returns the groups, the whole match first; nil for none. A group that
// took no part is "", as in nginx's $1.
func (x *Regex) match(s string) []string {
	high := !ascii(s)
	if high {
		s = widen(s)
	}
	m := x.re.FindStringSubmatch(s)
	if m == nil || !high {
		return m
	}
	for i, g := range m {
		m[i] = narrow(g)
	}
	return m
}

// groups says whether there are any; a match without leaves $1 to $9 empty.
func (x *Regex) groups() bool { return len(x.names) > 1 }

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func widen(s string) string {
	if ascii(s) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			b.WriteByte(s[i])
		} else {
			b.WriteRune(highRune + rune(s[i]))
		}
	}
	return b.String()
}

func narrow(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= highRune {
			r -= highRune
		}
		b.WriteByte(byte(r))
	}
	return b.String()
}

// regex compiles an argument of a directive, and notes one that only nginx can
// have; nil then. What PCRE refuses too can't be told from that, so nginx -t
// stays the judge of patterns.
func (in *interpreter) regex(d *Directive, i int, pattern string, caseless bool) *Regex {
	x, err := compileRegex(pattern, caseless)
	if err != nil {
		in.nginxOnlyArg(d, i, "its regular expression needs PCRE ("+err.Error()+")")
	}
	return x
}
