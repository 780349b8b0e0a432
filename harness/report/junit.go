package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// JUnit writes one suite per run and one case per expectation. A run that could
// not happen or proves nothing is an error, not a failure.
func JUnit(w io.Writer, entries []Entry) error {
	var all junit.Testsuites
	for _, e := range entries {
		suite := junit.Testsuite{Name: name(e) + " on " + e.On()}
		if e.Result == nil || !e.Result.Valid() {
			why := ""
			if e.Result == nil {
				why = fmt.Sprint(e.Err)
			} else {
				why = e.Result.Invalid
			}
			suite.AddTestcase(junit.Testcase{Name: "run", Classname: suite.Name, Error: &junit.Result{Message: why}})
			all.AddSuite(suite)
			continue
		}
		suite.Time = fmt.Sprintf("%.3f", e.Result.Wall.Seconds())
		for _, v := range e.Result.Verdicts {
			c := junit.Testcase{Name: v.Check, Classname: suite.Name}
			if !v.OK {
				var lines []string
				for _, ev := range v.Evidence {
					lines = append(lines, Event(ev))
				}
				c.Failure = &junit.Result{Message: "want " + v.Want + ", got " + v.Got, Data: strings.Join(lines, "\n")}
			}
			suite.AddTestcase(c)
		}
		all.AddSuite(suite)
	}
	return all.WriteXML(w)
}
