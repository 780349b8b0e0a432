package fault

import "strings"

// MatchPath matches a glob against a request path without its query. A * stands
// for any text within one segment, and at the end of the pattern for the whole
// rest, slashes included. Nothing else is special.
func MatchPath(glob, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return match(glob, path, "/")
}

// MatchText matches a glob against a header's value; * stands for any text.
func MatchText(glob, value string) bool { return match(glob, value, "") }

// match is the greedy glob with one point to come back to. A * in the middle
// doesn't cross a byte of stop. Coming back only to the last * is enough also
// with stop: if that one can't get across, an earlier one, which ends before
// it, would have to cross the same byte in its place or leave it to the last.
func match(glob, s, stop string) bool {
	g, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case g < len(glob) && glob[g] == '*':
			if g == len(glob)-1 {
				return true
			}
			star, mark = g, i
			g++
		case g < len(glob) && glob[g] == s[i]:
			g++
			i++
		case star >= 0 && !strings.Contains(stop, s[mark:mark+1]):
			mark++
			g, i = star+1, mark
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g == len(glob)
}
