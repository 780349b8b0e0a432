package check

import (
	"fmt"
	"strings"
)

// text puts a check together as a scenario writes it.
type text struct{ b strings.Builder }

func write(kind string) *text {
	t := &text{}
	t.b.WriteString(kind + ": {")
	return t
}

// str adds a key with a value that is left out when empty.
func (t *text) str(key, value string) *text {
	if value != "" {
		t.raw(key, quote(value))
	}
	return t
}

// span adds a key with a span that is left out when not set.
func (t *text) span(key string, s Span) *text {
	if s.Set {
		t.str(key, s.String())
	}
	return t
}

// value adds a key with a value that stands unquoted, left out when empty.
func (t *text) value(key, value string) *text {
	if value != "" {
		t.raw(key, value)
	}
	return t
}

// list adds a key with a list that is left out when empty.
func (t *text) list(key string, values []string) *text {
	if len(values) == 0 {
		return t
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(v)
	}
	return t.raw(key, "["+strings.Join(quoted, ", ")+"]")
}

func (t *text) raw(key, value string) *text {
	if !strings.HasSuffix(t.b.String(), "{") {
		t.b.WriteString(", ")
	}
	t.b.WriteString(key + ": " + value)
	return t
}

func (t *text) String() string { return t.b.String() + "}" }

// quote makes a YAML scalar that is safe inside { }: plain where every
// character is harmless, double-quoted otherwise.
func quote(s string) string {
	harmless := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._/:%± ", r) || r == '-'
	}
	first := func(r rune) bool {
		return r == '/' || r != '-' && r != ' ' && r != '%' && r != ':' && r != '±' && harmless(r)
	}
	plain := s != "" && first([]rune(s)[0]) && strings.IndexFunc(s, func(r rune) bool { return !harmless(r) }) < 0 &&
		!strings.Contains(s, ": ") && !strings.HasSuffix(s, ":") && !strings.HasSuffix(s, " ") && !strings.HasPrefix(s, "---")
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		plain = false
	}
	if plain {
		return s
	}
	return fmt.Sprintf("%q", s)
}
