package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/wire"
)

// hole stands in a line of the error log for what differs from one to another: a
// number, a path, a name.
const hole = 0

// aroundLine are parts of a line in nginx's file that are none of its message.
var aroundLine = []string{
	"[debug]", "[info]", "[notice]", "[warn]", "[error]", "[crit]", "[alert]", "[emerg]",
	", client: ", ", server: ", ", request: \"", ", subrequest: \"", ", upstream: \"", ", host: \"", ", referrer: \"", "bytes from/to ",
}

// logLine warns of a text that no line of the error log can have: `count: 0` would
// hold whatever happened.
func (e *expectation) logLine() {
	c, ok := e.def.(*check.Log)
	if !ok || c.Contains == "" {
		return
	}
	at := e.at("contains")
	warn := func(hint, format string, args ...any) {
		e.warn(Problem{Pos: e.pos(at.Line, at.Column), Hint: hint, Text: "log: contains: " + fmt.Sprintf(format, args...)})
	}
	text := c.Contains
	for _, part := range aroundLine {
		// A key of the context may come first: `upstream: "http`.
		if strings.Contains(text, part) || strings.Contains(", "+text, part) {
			warn("in nginx's words: MESSAGE while ACTION",
				"a line is its message alone, without time, level, client, server, request, upstream and host, so none has %s", strconv.Quote(short(text)))
			return
		}
	}
	if slices.Equal(e.s.Engines, []string{"nginx"}) {
		return
	}
	lines := slices.Concat(upstream.Lines(string(rune(hole))), nginxconf.Lines(string(rune(hole))))
	for _, line := range wire.Lines(string(rune(hole))) {
		lines = append(lines, line+" while reading response header from upstream")
	}
	if slices.ContainsFunc(lines, func(line string) bool { return mayHave(line, text) }) {
		return
	}
	hint := "engines: [nginx] if only a real one does"
	for _, line := range lines {
		if mayHave(strings.ToLower(line), strings.ToLower(text)) {
			hint = "upper and lower case count: " + strings.ReplaceAll(line, string(rune(hole)), "...")
			break
		}
	}
	warn(hint, "sim and reference log no line that has %s", strconv.Quote(short(text)))
}

// mayHave says whether a line with holes may have a text that isn't all in one of them.
func mayHave(line, text string) bool {
	for from := range len(line) {
		if fits(line[from:], text, false) {
			return true
		}
	}
	return false
}

// fits says whether a text is how a line goes on. told is true once a part of it was the
// line's own. What fills a hole has no quotation mark.
func fits(line, text string, told bool) bool {
	switch {
	case text == "":
		return told
	case line == "":
		return false
	case line[0] != hole:
		return line[0] == text[0] && fits(line[1:], text[1:], true)
	}
	for i := range len(text) + 1 {
		if fits(line[1:], text[i:], told) {
			return true
		}
		if i < len(text) && text[i] == '"' {
			break
		}
	}
	return false
}
