package nginxconf

import "fmt"

// suggest is the hint `did you mean "x"?` for the known word nearest to name,
// "" when none is near. Of equally near ones the first wins.
func suggest(name string, known []string) string {
	best, least := "", 1+min(len(name), 12)/3
	if len(name) > 64 {
		return ""
	}
	for _, k := range known {
		if d := len(k) - len(name); d >= least || -d >= least {
			continue
		}
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// namesIn are the names of the directives that may stand in a context.
func namesIn(in context) []string {
	var out []string
	t := directives()
	for _, n := range t.names {
		for _, s := range t.byName[n] {
			if s.in&in != 0 {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

// distance counts the letters to change, insert, drop or swap with a neighbour
// to get from a to b.
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
