//go:build e2e

package agree

import (
	"fmt"
	"math"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// exception is a scenario and what it comes to on each engine, whatever wins its race.
type exception struct {
	scenario string
	speed    float64
	// tolerated is how long a run may be disturbed and prove something all the same; 0 is
	// for ever, where nothing that happens late comes to anything else.
	tolerated time.Duration
	check     kit.Check
}

// holds makes a spec for each engine: the check holds there.
func (x exception) holds(promise string, engines ...harness.Engine) {
	f, problems := scenario.Parse("exception.yaml", []byte(x.scenario), nil)
	if err := problems.Err(); err != nil {
		panic(fmt.Sprintf("%v in\n%s", err, x.scenario))
	}
	f.Scenarios[0].MaxSpeed, f.Scenarios[0].AskSpeed = x.speed, x.speed
	for _, e := range engines {
		run := kit.Run{Name: promise + " on " + string(e), Scenario: f.Scenarios[0], File: f, Engine: e}
		if x.tolerated > 0 {
			run.Proves = x.check.Proves(x.tolerated)
		}
		exceptions = append(exceptions, run)
		It(run.Name, func(ctx SpecContext) {
			r := runs.Result(ctx, run.Name)
			x.check(Default, r)
		}, SpecTimeout(2*time.Minute))
	}
}

// draws is how many requests the chi-square tests draw.
const draws = 3000

// weights are those of the servers that draws go to.
var weights = []float64{1, 2, 3, 6}

// shares are the expected shares of the servers: of `random` in proportion to
// the weights. `random two` takes the one of two distinct draws with fewer
// attempts in flight for its weight, and with none at all the second
// (ngx_http_upstream_get_random2_peer).
func shares(two bool) []float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	out := make([]float64, len(weights))
	for j, w := range weights {
		if !two {
			out[j] = w / sum
			continue
		}
		for i, first := range weights {
			if i != j {
				out[j] += first / sum * w / (sum - first)
			}
		}
	}
	return out
}

// critical is the chi-square value for 3 degrees of freedom that chance exceeds
// once in a million runs: erfc(sqrt(x/2)) + sqrt(2x/pi) exp(-x/2) = 1e-6.
const critical = 30.6648

func chanceOf() float64 {
	return math.Erfc(math.Sqrt(critical/2)) + math.Sqrt(2*critical/math.Pi)*math.Exp(-critical/2)
}

var _ = Describe("Where engines can't agree by nature", func() {
	for _, method := range []string{"random", "random two"} {
		exception{speed: 1, scenario: `name: draws
proxy:
  nginx: |
    upstream u {
      ` + method + `;
      server a:80;
      server b:80 weight=2;
      server c:80 weight=3;
      server gone:80 weight=7 down;
      server d:80 weight=6;
    }
    server { location / { proxy_pass http://u; } }
traffic:
  t: {request: GET /, times: ` + fmt.Sprint(draws) + `}
expect:
  - status: {of: t, is: 200}
`, check: func(g Gomega, r *harness.Result) {
			g.Expect(chanceOf()).To(BeNumerically("~", 1e-6, 1e-8))
			g.Expect(r.OK()).To(BeTrue(), "%v", r.Verdicts)
			got := map[string]float64{}
			for _, e := range r.Events {
				if e.Kind == event.AttemptStarted {
					got[e.Peer]++
				}
			}
			chi := 0.0
			for i, share := range shares(method == "random two") {
				want := share * draws
				chi += math.Pow(got[fmt.Sprintf("%c:80", 'a'+i)]-want, 2) / want
			}
			fmt.Fprintf(GinkgoWriter, "%s on %s: chi-square %.2f, %v\n", method, r.Engine, chi, got)
			g.Expect(chi).To(BeNumerically("<", critical), "%v", got)
		}}.holds(method+" draws in proportion to the weights", harness.Engines()...)
	}

	for _, end := range []string{"close", "reset"} {
		exception{speed: 10, scenario: `name: cut
proxy:
  nginx: |
    upstream u {
      server a:80 max_fails=0;
      server b:80 max_fails=0;
    }
    server { location / { proxy_pass http://u; } }
backends:
  a:80:
    - do: {` + end + `: {at: accept}}
traffic:
  get: {request: GET /, times: 100}
  post: {request: POST /, times: 100, start: 20s}
expect:
  - status: {of: get, is: 200}
`, check: func(g Gomega, r *harness.Result) {
			g.Expect(r.OK()).To(BeTrue(), "%v", r.Verdicts)
			seen := map[event.Outcome]int{}
			for _, ev := range r.Events {
				switch {
				case ev.Kind == event.AttemptEnded && ev.Peer == "a:80":
					seen[ev.Outcome]++
					g.Expect(ev.Outcome).To(BeElementOf(event.Closed, event.Reset, event.Refused), "%v", ev)
					if end == "close" {
						g.Expect(ev.Outcome).NotTo(Equal(event.Refused), "a FIN is no failed connect")
					}
				case ev.Kind == event.ResponseEnded && ev.Request.Traffic == "post":
					g.Expect(ev.Status).To(BeElementOf(200, 502), "%v", ev)
				}
			}
			fmt.Fprintf(GinkgoWriter, "%s on %s: %v\n", end, r.Engine, seen)
			g.Expect(seen).NotTo(BeEmpty())
		}}.holds("a connection that is cut as soon as it is accepted: "+end, sockets...)
	}
})
