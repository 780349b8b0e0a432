package bind

import "strings"

// special are the characters with a meaning of their own in YAML that people begin a
// value or a key with who mean the character.
const special = ">*%&@`|!"

// quoting is what to write instead of text that isn't YAML because it lacks quotes;
// "" when that isn't the reason, as far as the place of the error tells.
func quoting(src []byte, line, col int) string {
	lines := strings.Split(string(src), "\n")
	text := strings.TrimRight(lines[line-1], " \r")
	if r := []rune(text); col <= len(r) {
		if at := string(r[col-1:]); strings.ContainsRune(special, r[col-1]) {
			return quote(untilEnd(at))
		}
	}
	bare := strings.TrimLeft(text, " -")
	if key, _, ok := strings.Cut(bare, ":"); ok && key != "" && strings.ContainsRune(special, rune(key[0])) {
		return quote(key) + ":"
	}
	if _, value, ok := strings.Cut(bare, ": "); ok {
		value = strings.TrimSpace(value)
		switch {
		case value == "":
		case strings.ContainsRune(special, rune(value[0])),
			!strings.ContainsAny(value[:1], "{[\"'") && strings.Contains(value, ": "):
			return quote(value)
		}
	}
	return ""
}

// untilEnd cuts a value off where the mapping or the list that it stands in goes on.
func untilEnd(s string) string {
	if i := strings.IndexAny(s, ",}]"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}
