package kit

import (
	"fmt"
	"time"

	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
)

// Check is what a spec expects of a run. It asks g, so that a run that was disturbed
// can be told from one that shows something before any spec fails.
type Check func(g Gomega, r *harness.Result)

// Fails says what isn't as expected; "" when all is.
func (c Check) Fails(r *harness.Result) (why string) {
	type failed struct{ why string }
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failed:
			why = f.why
		default:
			panic(f)
		}
	}()
	c(NewGomega(func(message string, _ ...int) { panic(failed{message}) }), r)
	return ""
}

// Proves is for Run: a run in which something isn't as expected proves nothing if it
// was disturbed for longer than tolerated.
func (c Check) Proves(tolerated time.Duration) func(*harness.Result) string {
	return func(r *harness.Result) string {
		if c.Fails(r) == "" {
			return ""
		}
		return Disturbed(r, tolerated)
	}
}

// Disturbed says of a run that nothing else can be held against that the machine stood
// still, or that sends, waits or the proxy were late, for longer than tolerated; "" when
// they weren't.
func Disturbed(r *harness.Result, tolerated time.Duration) string {
	for what, late := range map[string]time.Duration{
		"the machine stood still": r.Stall.Max, "sends were late": r.Send.Max, "waits were late": r.Wait.Max, "the proxy was late": Lag(r),
	} {
		if late > tolerated {
			return fmt.Sprintf("%s for up to %v, %v is tolerated", what, late.Round(time.Microsecond), tolerated)
		}
	}
	return ""
}
