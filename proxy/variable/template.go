package variable

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Template is text with variables in it, compiled. The zero value is "".
type Template struct {
	source string
	parts  []part
}

// part is literal text, a capture or a variable.
type part struct {
	text    string
	capture int // 1 to 9
	name    string
	read    reader
}

// errName is nginx's complaint about a "$" with no name behind it.
var errName = errors.New("invalid variable name")

// Compile compiles a text (ngx_http_script_compile). There is no way to write a
// "$" that is none: "$$" is an error. Errors are in nginx's words. Whether there
// is such a variable is another question, which nginx asks at the end of the
// configuration: see Names and Known.
func Compile(source string) (Template, error) {
	t := Template{source: source}
	for rest := source; rest != ""; {
		text, after, found := strings.Cut(rest, "$")
		if text != "" {
			t.parts = append(t.parts, part{text: text})
		}
		if !found {
			break
		}
		rest = after
		if rest != "" && rest[0] >= '1' && rest[0] <= '9' {
			t.parts = append(t.parts, part{capture: int(rest[0] - '0')})
			rest = rest[1:]
			continue
		}
		name, after, err := cutName(rest)
		if err != nil {
			return Template{}, err
		}
		rest = after
		t.parts = append(t.parts, variable(name))
	}
	return t, nil
}

// Literal is a text without variables, whatever is in it.
func Literal(source string) Template {
	return Template{source: source, parts: []part{{text: source}}}
}

// cutName splits a name, perhaps in braces, off what follows a "$".
func cutName(s string) (name, rest string, err error) {
	inner, braced := strings.CutPrefix(s, "{")
	if inner == "" {
		return "", "", errName
	}
	n := 0
	for n < len(inner) && nameByte(inner[n]) {
		n++
	}
	name, rest = inner[:n], inner[n:]
	if braced {
		after, closed := strings.CutPrefix(rest, "}")
		if !closed {
			return "", "", fmt.Errorf("the closing bracket in \"%s\" variable is missing", name)
		}
		rest = after
	}
	if name == "" {
		return "", "", errName
	}
	return name, rest, nil
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func variable(name string) part {
	name = strings.ToLower(name)
	return part{name: name, read: find(name)}
}

// Source is the text that was compiled.
func (t Template) Source() string { return t.source }

// Constant says whether the text has no variables: its value is its source.
func (t Template) Constant() bool {
	return !slices.ContainsFunc(t.parts, func(p part) bool { return p.text == "" })
}

// Names are the variables in the text, in lower case, in order, captures ($1) not
// among them.
func (t Template) Names() []string { return names(t.parts) }

func names(parts []part) []string {
	var out []string
	for _, p := range parts {
		if p.name != "" {
			out = append(out, p.name)
		}
	}
	return out
}

// Captured says whether the text has what a regular expression captured ($1).
func (t Template) Captured() bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.capture > 0 })
}

// Append appends the value for a request to b.
func (t Template) Append(b []byte, f Facts) []byte {
	for i := range t.parts {
		switch p := &t.parts[i]; {
		case p.read != nil:
			b, _ = p.read(b, f, p.name)
		case p.capture > 0:
			if all := f.Request().Captures; p.capture <= len(all) {
				b = append(b, all[p.capture-1]...)
			}
		default:
			b = append(b, p.text...)
		}
	}
	return b
}

// Value is the value for a request.
func (t Template) Value(f Facts) string {
	if t.Constant() {
		return t.source
	}
	return string(t.Append(nil, f))
}

// Value is the value of one variable; ok is false when it isn't there.
func Value(name string, f Facts) (value string, ok bool) {
	name = strings.ToLower(name)
	b, ok := find(name)(nil, f, name)
	return string(b), ok
}
