package match

import (
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/gomega/gcustom"
	"github.com/onsi/gomega/types"

	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/event"
)

// Judged is a run that can be asked whether a check holds; *harness.Result is one.
type Judged interface {
	Judge(check.Check) check.Verdict
}

// unprovable is a run that may prove nothing, and then says why.
type unprovable interface{ Unproven() string }

// knowing is a run that knows what there is, and says what a check names wrongly.
type knowing interface{ Unknown(check.Check) string }

// Hold succeeds when the check holds for the run. A check that makes no sense,
// such as one without its traffic, and an invalid run are errors and not
// failures, so that they can't pass as the opposite either.
func Hold(c check.Check) types.GomegaMatcher {
	m := &hold{check: c}
	return gcustom.MakeMatcher(m.match).WithTemplate("{{.Data}}", m)
}

// hold keeps the verdict for the failure's text.
type hold struct {
	check   check.Check
	verdict check.Verdict
}

func (m *hold) match(run Judged) (bool, error) {
	if m.check == nil {
		return false, errors.New("match.Hold: there is no check")
	}
	if run == nil {
		return false, errors.New("match.Hold: there is no result")
	}
	if u, ok := run.(unprovable); ok && u.Unproven() != "" {
		return false, fmt.Errorf("match.Hold: %s", u.Unproven())
	}
	if d, ok := m.check.(check.Definition); ok {
		if problems := d.Validate(); len(problems) > 0 {
			texts := make([]string, len(problems))
			for i, p := range problems {
				texts[i] = p.String()
			}
			return false, fmt.Errorf("%s: %s", m.check, strings.Join(texts, "; "))
		}
	}
	if k, ok := run.(knowing); ok && k.Unknown(m.check) != "" {
		return false, fmt.Errorf("%s: %s", m.check, k.Unknown(m.check))
	}
	m.verdict = run.Judge(m.check)
	return m.verdict.OK, nil
}

// String is the failure's text: the check, what was wanted, what was there, and
// the events that prove it.
func (m *hold) String() string {
	v := m.verdict
	var b strings.Builder
	if v.OK {
		fmt.Fprintf(&b, "Expected not to hold:\n    %s\nbut it does\n", v.Check)
	} else {
		fmt.Fprintf(&b, "Expected to hold:\n    %s\n", v.Check)
	}
	fmt.Fprintf(&b, "want  %s\ngot   %s", v.Want, v.Got)
	for i, e := range v.Evidence {
		if i == 0 {
			b.WriteString("\nevidence")
		}
		fmt.Fprintf(&b, "\n    %s", event.AppendJSON(nil, e))
	}
	return b.String()
}
