// Package vectors holds a table of small runs against all engines: what each
// request comes to, to the attempt, and which peers are out at the end. The
// figures are those of nginx itself; where it changed its mind a row says with which
// version, and the suite holds the rows of the nginx that is here.
package vectors

import (
	"slices"
	"testing"

	"github.com/nolive/nolive/proxy/upstream"
)

// allOf are the vectors of the table and the matrix of proxy_next_upstream, as a
// version of nginx has it.
func allOf(v upstream.Version) []vector { return slices.Concat(table, matrix(v)) }

// turns are a version of nginx before and at each change in a vector.
var turns = []string{"1.9.12", "1.9.13", "1.11.4", "1.11.5", "1.11.12", "1.11.13", "1.13.6", "1.13.7", "1.13.10", "1.13.11", "1.19.5", "1.19.6", "1.22.1", "1.29.6", "1.29.7"}

func TestOnSim(t *testing.T) {
	for _, turn := range turns {
		version, err := upstream.ParseVersion(turn)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range allOf(version) {
			if !v.about(version) {
				continue
			}
			t.Run(turn+"/"+v.name, func(t *testing.T) {
				for _, w := range v.wrong(v.scenario(t, i, version).Sim) {
					t.Error(w)
				}
			})
		}
	}
}

// A vector that holds whatever happens would show nothing.
func TestWrong(t *testing.T) {
	all := allOf(upstream.Version{})
	for i := range all {
		v := all[i]
		run := v.scenario(t, i, upstream.Version{}).Sim
		if v.want != nil {
			v.want = append([]string{"200 3:200"}, v.want[1:]...)
		}
		for j := range v.picked {
			v.picked = append([]window{}, v.picked...)
			v.picked[j].times++
		}
		if v.tried != nil {
			v.tried = map[string]int{"A": 1}
		}
		if len(v.wrong(run)) == 0 {
			t.Errorf("%s holds with another figure", v.name)
		}
		v = all[i]
		v.marks = "C"
		if len(v.picked) == 0 && len(v.wrong(run)) == 0 {
			t.Errorf("%s holds with other marks", v.name)
		}
	}
}
