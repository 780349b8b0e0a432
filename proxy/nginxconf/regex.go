package nginxconf

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// Regex is a regular expression of the configuration. nginx has PCRE. What Go's
// regexp knows means the same there, and can't run away; lookaround,
// backreferences, possessive quantifiers and the few things that mean something
// else to Go go through an engine that goes back.
type Regex struct {
	// re is nil where only the other one knows the pattern, full where Go's does
	// for every text.
	re   *regexp.Regexp
	full *regexp2.Regexp
	// names are the named groups: they become variables.
	names []string
}

// highRune is where the bytes from 0x80 on are put for matching. nginx matches
// bytes; these runes have no case, are no letters and stand for one byte each.
const highRune = 0xE000

// deepest bounds what a match may have to go back to, as PCRE's heap limit does.
const deepest = 1 << 20

// compileRegex compiles a pattern. The error says why it can't be had.
func compileRegex(pattern string, caseless bool) (*Regex, error) {
	var refused *pcreError
	if _, _, err := translate(pattern); errors.As(err, &refused) {
		return nil, err // also what Go would take
	}
	expr := widen(pattern)
	if caseless {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err == nil && !differs(pattern) {
		return &Regex{re: re, names: re.SubexpNames()}, nil
	}
	full, names, why := compilePCRE(pattern, caseless)
	switch {
	case why == nil && err == nil && !foreign(pattern):
		return &Regex{re, full, names}, nil
	case why == nil:
		return &Regex{nil, full, names}, nil
	case err == nil && !foreign(pattern):
		return &Regex{re: re, names: re.SubexpNames()}, nil
	}
	return nil, why
}

// compilePCRE compiles a pattern as PCRE reads it.
func compilePCRE(pattern string, caseless bool) (*regexp2.Regexp, []string, error) {
	expr, names, err := translate(pattern)
	if err != nil {
		return nil, nil, err
	}
	options := regexp2.None
	if caseless {
		options = regexp2.IgnoreCase
	}
	re, err := regexp2.Compile(expr, options, regexp2.OptionMaxBacktrackingStackSize(deepest))
	if err != nil {
		return nil, nil, err
	}
	return re, names, nil
}

// differs says whether a pattern may mean something else to PCRE: its "$" comes
// before a last line feed too, its \s has the vertical tab.
func differs(pattern string) bool {
	return strings.Contains(pattern, "$") || strings.Contains(pattern, `\s`) || strings.Contains(pattern, `\S`) || foreign(pattern)
}

// foreign says whether a pattern means something else to Go for any text: \v is a
// set, and \xff a byte.
func foreign(pattern string) bool {
	return strings.Contains(pattern, `\v`) || strings.Contains(pattern, `\x`) || strings.Contains(pattern, `\3`) || strings.Contains(pattern, `\2`)
}

// match returns the groups, the whole match first; nil for none. A group that
// took no part is "", as in nginx's $1. A match that runs too deep is none: nginx
// answers 500.
func (x *Regex) match(s string) []string {
	high := !ascii(s)
	if high {
		s = widen(s)
	}
	var m []string
	if x.full != nil && (x.re == nil || strings.ContainsAny(s, "\n\v")) {
		m = x.back(s)
	} else {
		m = x.re.FindStringSubmatch(s)
	}
	if m == nil || !high {
		return m
	}
	for i, g := range m {
		m[i] = narrow(g)
	}
	return m
}

// back matches with the engine that goes back.
func (x *Regex) back(s string) []string {
	found, err := x.full.FindStringMatch(s)
	if err != nil || found == nil {
		return nil
	}
	m := make([]string, len(x.names))
	for i := range m {
		if g := found.GroupByNumber(i); len(g.Captures) > 0 {
			m[i] = g.String()
		}
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

// regex compiles an argument of a directive. One that PCRE refuses is a problem, and
// one that only nginx can have is noted; nil then.
func (in *interpreter) regex(d *Directive, i int, pattern string, caseless bool) *Regex {
	x, err := compileRegex(pattern, caseless)
	var refused *pcreError
	switch {
	case errors.As(err, &refused):
		in.out.add(d.ArgPos(i), "", "%s", refused.refusal(pattern))
	case err != nil:
		in.nginxOnlyArg(d, i, "its regular expression needs PCRE ("+err.Error()+")")
	}
	return x
}
