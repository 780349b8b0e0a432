package nginxconf

import "fmt"

// pcreError is what PCRE itself says of a pattern, so that nginx refuses it. Other
// errors of a translation are about what only PCRE can do.
type pcreError struct {
	text string
	// at is how far PCRE got.
	at int
}

func (e *pcreError) Error() string { return e.text }

// refusal is nginx's message (ngx_regex_compile).
func (e *pcreError) refusal(pattern string) string {
	if e.at >= len(pattern) {
		return fmt.Sprintf("pcre2_compile() failed: %s in \"%s\"", e.text, pattern)
	}
	return fmt.Sprintf("pcre2_compile() failed: %s in \"%s\" at \"%s\"", e.text, pattern, pattern[e.at:])
}

// wrong is an error of PCRE's at a place of the pattern, atEnd at its end.
func (r *translator) wrong(at int, text string) error { return &pcreError{text, at} }
func (r *translator) atEnd(text string) error         { return &pcreError{text, len(r.in)} }

// unescaped says whether a letter behind "\" means nothing to PCRE.
func unescaped(c byte) bool {
	switch c {
	case 'i', 'I', 'j', 'J', 'm', 'M', 'O', 'q', 'T', 'y', 'Y':
		return true
	}
	return false
}
