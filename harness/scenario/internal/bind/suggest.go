package bind

import "strings"

// Nearest returns the candidate that word was probably meant to be, or "" when
// none is near: at most a third of its letters differ (one for short words),
// letter case, - and _ being the same. Of equally near ones the first wins.
func Nearest(word string, candidates []string) string {
	best, limit := "", max(1, len([]rune(word))/3)+1
	w := fold(word)
	if len(w) > 100 {
		return ""
	}
	for _, c := range candidates {
		if d := distance(w, fold(c), limit); d < limit {
			best, limit = c, d
		}
	}
	return best
}

func fold(s string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(s), "-", "_"))
}

// distance is the number of letters to insert, drop, replace or swap with their
// neighbour to turn a into b (optimal string alignment); limit or more is limit.
func distance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(next[j]+1, row[j+1]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return min(row[len(b)], limit)
}
