package census

import (
	"fmt"
	"io"
	"slices"
)

// Table writes the answers as a Markdown table, a row for each fault and method
// and a column for each size of the group, and below it which of them a race may
// decide otherwise.
func Table(w io.Writer, questions []Question, answers []Answer) {
	var peers []int
	for _, q := range questions {
		if !slices.Contains(peers, q.Peers) {
			peers = append(peers, q.Peers)
		}
	}
	fmt.Fprint(w, "| the first server does | method |")
	rule := "|---|---|"
	for _, n := range peers {
		if n == 1 {
			fmt.Fprint(w, " alone |")
		} else {
			fmt.Fprintf(w, " one of %d |", n)
		}
		rule += "---|"
	}
	fmt.Fprintf(w, "\n%s\n", rule)
	var races []Question
	for i := 0; i < len(questions); i += len(peers) {
		q := questions[i]
		mark := ""
		if q.Race() != "" {
			mark = " *"
			if !slices.ContainsFunc(races, func(r Question) bool { return r.Entry == q.Entry && r.Method == q.Method }) {
				races = append(races, q)
			}
		}
		fmt.Fprintf(w, "| `%s`%s | %s |", q.Entry.Do, mark, q.Method)
		for j := range peers {
			fmt.Fprintf(w, " %v |", answers[i+j])
		}
		fmt.Fprintln(w)
	}
	for i, q := range races {
		if i == 0 {
			fmt.Fprintln(w, "\n\\* A race decides, so that it may come out otherwise:")
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "- `%s`, %s: %s.\n", q.Entry.Do, q.Method, q.Race())
	}
}
