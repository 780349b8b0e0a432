// Package vectors holds a table of small runs against all engines: what each
// request comes to, to the attempt, and which peers are out at the end. The
// figures are those of nginx 1.22.1 and 1.31.4.
package vectors

import (
	"testing"

	"github.com/nolive/nolive/proxy/upstream"
)

// all are the vectors of the table and the matrix of proxy_next_upstream.
var all = append(append([]vector{}, table...), matrix()...)

func TestOnSim(t *testing.T) {
	for i := range all {
		v := &all[i]
		t.Run(v.name, func(t *testing.T) {
			for _, w := range v.wrong(v.scenario(t, i, upstream.Version{}).Sim) {
				t.Error(w)
			}
		})
	}
}

// A vector that holds whatever happens would show nothing.
func TestWrong(t *testing.T) {
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
