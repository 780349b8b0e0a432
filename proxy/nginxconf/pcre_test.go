package nginxconf

import (
	"strings"
	"testing"
)

// patterns are what PCRE makes of a text: $1 to $3 of the match, "-" for none. The
// test with the tag e2e asks nginx. A "~*" in front is for one without case.
var patterns = []struct{ pattern, text, want string }{
	// Look around.
	{`^/(?!api)(.*)`, "/x", "[x][][]"},
	{`^/(?!api)(.*)`, "/api/x", "-"},
	{`/(?=(b+))b`, "a/bbb", "[bbb][][]"},
	{`(?<=/)(\w+)$`, "/a/last", "[last][][]"},
	{`(?<!a)b(c)`, "abc", "-"},
	{`(?<!a)b(c)`, "bbc", "[c][][]"},
	{`^(?!.*\.(?:gif|jpg)$)(.*)`, "/a.gif", "-"},
	{`~*^/(?!API)(.*)`, "/api", "-"},
	// References.
	{`^/(\w+)/\1$`, "/ab/ab", "[ab][][]"},
	{`^/(\w+)/\1$`, "/ab/ac", "-"},
	{`~*^/(\w+)/\1$`, "/ab/AB", "[ab][][]"},
	{`(?<w>a+)-\k<w>`, "aa-aa", "[aa][][]"},
	{`(?P<w>a+)-(?P=w)`, "aa-aa", "[aa][][]"},
	{`(?'w'a+)-\k{w}(.)`, "aa-aab", "[aa][b][]"},
	{`(a)(b)\g{-1}\g1(.)`, "abbax", "[a][b][x]"},
	{`(x)?\1y`, "y", "-"},
	{`(a)(?<n>b)(c)\2`, "abcb", "[a][b][c]"},
	{`(a)\10`, "a\x08", "[a][][]"},
	// No way back.
	{`^(a++)b`, "aaab", "[aaa][][]"},
	{`a++a`, "aaa", "-"},
	{`([^/]*+)/(?:x|y)?+(.*)`, "ab/xx", "[ab][x][]"},
	{`(?>a|ab)c`, "abc", "-"},
	{`(a{1,3}+)a`, "aaa", "-"},
	{`"([^"]*+)"`, `say "hi" now`, "[hi][][]"},
	{`(?:ab)*+(.)`, "ababa", "[a][][]"},
	{`((?:ab)?+)+c`, "ababc", "[][][]"},
	// What only looks like a number of times.
	{`(?!x)a{,2}(.)`, "a{,2}b", "[b][][]"},
	{`(?!x)a{x}(.)`, "a{x}b", "[b][][]"},
	{`(?!x)(a{2,}?)(a*)`, "aaaa", "[aa][aa][]"},
	// Conditions and options.
	{`^(<)?a(?(1)>)(.?)$`, "<a>", "[<][][]"},
	{`^(<)?a(?(1)>)(.?)$`, "ab", "[][b][]"},
	{`^(?<q><)?a(?(<q>)>|!)$`, "a!", "[][][]"},
	{`^(?(?=a)(ab)|(c))`, "cd", "[][c][]"},
	{`(?!x)(?i)A(?-i)B(.)`, "aBc", "[c][][]"},
	{`(?!x)(?i:A)B(.)`, "aBc", "[c][][]"},
	{`(?x) (?!x) a +  # as many as there are
	  (b) `, "aab", "[b][][]"},
	{`(?s)(?!x)a.(b)`, "a\nb", "[b][][]"},
	{`(?!x)a.(b)`, "a\nb", "-"},
	{`(?m)(?!x)^(b)$`, "a\nb\nc", "[b][][]"},
	{`(?#look)(a)(?!b)`, "ac", "[a][][]"},
	// A line feed at the end, and what is space.
	{`^/(a)$`, "/a\n", "[a][][]"},
	{`^/(a)\z`, "/a\n", "-"},
	{`^/(a)\Z`, "/a\n", "[a][][]"},
	{`a\s(b)`, "a\vb", "[b][][]"},
	{`a[\s](b)`, "a\vb", "[b][][]"},
	{`a\v(b)`, "a\nb", "[b][][]"},
	{`a\h(b)`, "a\xa0b", "[b][][]"},
	{`a\H(b)`, "a\xa0b", "-"},
	{`a\R(b)`, "a\r\nb", "[b][][]"},
	{`(?!x)a\N(b)`, "a\nb", "-"},
	// Bytes and classes.
	{`^([\x80-\xff]+)(.)`, "\xc3\xa9a", "[\xc3\xa9][a][]"},
	{`^([^\xc3])`, "\xc3", "-"},
	{`^(\xc3)`, "\xc3\xa9", "[\xc3][][]"},
	{`^(\x{c3})(\251)`, "\xc3\xa9", "[\xc3][\xa9][]"},
	{`(?!x)^([[:alpha:]]+)([^[:alnum:]])`, "abé", "[ab][\xc3][]"},
	{`(?!x)([[:^digit:]]+)`, "ab1", "[ab][][]"},
	{`(?!x)^([]a]+)`, "]a]b", "[]a]][][]"},
	{`(?!x)^([^]a]+)`, "b]", "[b][][]"},
	{`(?!x)^([\d-]+)`, "1-za", "[1-][][]"},
	{`(?!x)^([a\-z]+)`, "a-zb", "[a-z][][]"},
	{`(?!x)^([[a]+)`, "[ab", "[[a][][]"},
	{`~*(?!x)^([[:upper:]]+)(.)`, "aB1", "[aB][1][]"},
	{`~*(?!x)^([^a]+)`, "bA", "[b][][]"},
	{`(?!x)\Qa.b\E(.)`, "a.bc", "[c][][]"},
	{`(?!x)[\Q]^\E]+(.)`, "^]x", "[x][][]"},
	{`(?!x)(\w+)`, "é_a1", "[_a1][][]"},
	{`(?!x)\e\a\cA(.)`, "\x1b\x07\x01b", "[b][][]"},
	{`(?!x)#(.)\ (.)`, "#a b", "[a][b][]"},
	{`(?:(a)|b)*(?!x)`, "ab", "[a][][]"},
}

// shown is a match as the patterns write it.
func shown(groups []string) string {
	if groups == nil {
		return "-"
	}
	groups = append(append([]string(nil), groups...), "", "", "")
	return "[" + groups[1] + "][" + groups[2] + "][" + groups[3] + "]"
}

func TestPatterns(t *testing.T) {
	for _, p := range patterns {
		pattern, caseless := strings.CutPrefix(p.pattern, "~*")
		x, err := compileRegex(pattern, caseless)
		if err != nil {
			t.Errorf("%s: %v", p.pattern, err)
			continue
		}
		if got := shown(x.match(p.text)); got != p.want {
			t.Errorf("%s on %q is %q, want %q", p.pattern, p.text, got, p.want)
		}
	}
}

// What neither engine has is refused.
func TestPatternsRefused(t *testing.T) {
	for _, p := range []string{
		`(`, `a)`, `[a`, `[b-a]`, `[a-\d]`, `*a`, `a|*`, `a{2}{2}`, `(?<n`, `\`, `\k<none>`, `(a)\2`, `(?|a|b)`, `(?R)`, `(a)(?1)`, `(?P>x)`,
		`(*ACCEPT)a`, `a\Kb`, `\y`, `[[:none:]]`, `\x{100}`, `(?J)a`, `(?#`,
	} {
		if x, err := compileRegex(p, false); err == nil {
			t.Errorf("%s is compiled: %v", p, x)
		}
	}
}

// Patterns that Go knows mean the same to both engines.
func FuzzPatterns(f *testing.F) {
	for _, p := range patterns {
		f.Add(strings.TrimPrefix(p.pattern, "~*"), p.text)
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 40 || len(text) > 40 || strings.ContainsAny(text, "\n\v") || strings.Contains(pattern, "{") {
			return
		}
		full, names, err := compilePCRE(pattern, false)
		x, wrong := compileRegex(pattern, false)
		if err != nil || wrong != nil || x.re == nil {
			return
		}
		both := &Regex{full: full, names: names}
		if a, b := shown(x.match(text)), shown(both.match(text)); a != b {
			t.Errorf("%q on %q: %q and %q", pattern, text, a, b)
		}
	})
}
