package nginxconf

import (
	"strings"

	"github.com/nolive/nolive/proxy/variable"
)

// condition is what an if asks.
type condition struct {
	// name is the variable that is looked at.
	name string
	test test
	// value is compared with, for equal and unequal.
	value variable.Template
	// regex is matched, for matches; not turns it round.
	regex *Regex
	not   bool
}

type test uint8

const (
	isTrue test = iota
	equal
	matches
	never // a file that isn't there
)

// condition reads the condition of an if (ngx_http_rewrite_if_condition); nil
// for one that is wrong or only nginx's.
func (in *interpreter) condition(d *Directive) *condition {
	words, at, ok := conditionWords(d)
	bad := func(i int) *condition {
		in.out.add(d.ArgPos(i), missingSemicolon(d), "invalid condition \"%s\"", d.Arg(i))
		return nil
	}
	switch {
	case !ok:
		return bad(at)
	case len(words) == 2 && fileTest(words[0]):
		if under := strings.ToLower(words[1]); !strings.HasPrefix(under, "$document_root") && under != "$request_filename" {
			in.nginxOnly(d, "it depends on files")
			return nil
		}
		return &condition{test: never, not: words[0][0] == '!'}
	case !strings.HasPrefix(words[0], "$") || len(words[0]) < 2, len(words) == 2, len(words) > 3:
		in.out.add(d.ArgPos(at), missingSemicolon(d), "invalid condition \"%s\"", words[0])
		return nil
	}
	c := &condition{name: strings.ToLower(words[0][1:])}
	in.uses(d, 0, []string{c.name})
	in.decides(d, 0, []string{c.name})
	if len(words) == 1 {
		return c
	}
	last := words[2]
	switch op := words[1]; op {
	case "=", "!=":
		c.test, c.not = equal, op == "!="
		t, ok := in.template(d, len(d.Args)-1, last)
		if !ok {
			return nil
		}
		in.decides(d, len(d.Args)-1, t.Names())
		c.value = t
	case "~", "~*", "!~", "!~*":
		c.test, c.not = matches, op[0] == '!'
		if c.regex = in.regex(d, len(d.Args)-1, last, strings.HasSuffix(op, "*")); c.regex == nil {
			return nil
		}
		in.makes(c.regex.names)
	default:
		in.out.add(d.ArgPos(0), "=, !=, ~, ~*, !~ or !~*", "unexpected \"%s\" in condition", op)
		return nil
	}
	return c
}

// conditionWords takes the parentheses off; they may be words of their own. at
// is the argument that is wrong, or the one the condition begins in.
func conditionWords(d *Directive) (words []string, at int, ok bool) {
	for _, a := range d.Args {
		words = append(words, a.Text)
	}
	if len(words) == 0 || !strings.HasPrefix(words[0], "(") {
		return nil, 0, false
	}
	if words[0] == "(" {
		words, at = words[1:], 1
	} else {
		words[0] = words[0][1:]
	}
	if len(words) == 0 || !strings.HasSuffix(words[len(words)-1], ")") {
		return nil, len(d.Args) - 1, false
	}
	if last := len(words) - 1; words[last] == ")" {
		words = words[:last]
	} else {
		words[last] = strings.TrimSuffix(words[last], ")")
	}
	return words, at, len(words) > 0 && words[0] != ""
}

// fileTest says whether a word is -f, !-d or the like.
func fileTest(s string) bool {
	s = strings.TrimPrefix(s, "!")
	return len(s) == 2 && s[0] == '-' && strings.ContainsRune("fdex", rune(s[1]))
}
