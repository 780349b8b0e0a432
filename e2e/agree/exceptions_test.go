//go:build e2e

package agree

import (
	"fmt"
	"math"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

func parse(src string) *scenario.Scenario {
	GinkgoHelper()
	f, problems := scenario.Parse("exception.yaml", []byte(src), nil)
	Expect(problems.Err()).NotTo(HaveOccurred(), "%s", src)
	return f.Scenarios[0]
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
		for _, e := range harness.Engines() {
			It(fmt.Sprintf("%s draws in proportion to the weights on %s", method, e), func(ctx SpecContext) {
				Expect(chanceOf()).To(BeNumerically("~", 1e-6, 1e-8))
				s := parse(`name: draws
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
`)
				r, err := harness.Runner{Speed: 1}.Run(ctx, s, e)
				Expect(err).NotTo(HaveOccurred())
				Expect(r.OK()).To(BeTrue(), "%v", r.Verdicts)
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
				AddReportEntry(fmt.Sprintf("chi-square %.2f", chi), got)
				Expect(chi).To(BeNumerically("<", critical), "%v", got)
			}, SpecTimeout(time.Minute))
		}
	}

	for _, end := range []string{"close", "reset"} {
		It("a connection that is cut as soon as it is accepted: "+end, func(ctx SpecContext) {
			s := parse(`name: cut
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
`)
			for _, e := range []harness.Engine{harness.Reference, harness.Nginx} {
				r, err := harness.Runner{Speed: 10}.Run(ctx, s, e)
				Expect(err).NotTo(HaveOccurred())
				Expect(r.OK()).To(BeTrue(), "%s: %v", e, r.Verdicts)
				seen := map[event.Outcome]int{}
				for _, ev := range r.Events {
					switch {
					case ev.Kind == event.AttemptEnded && ev.Peer == "a:80":
						seen[ev.Outcome]++
						Expect(ev.Outcome).To(BeElementOf(event.Closed, event.Reset, event.Refused), "%s: %v", e, ev)
						if end == "close" {
							Expect(ev.Outcome).NotTo(Equal(event.Refused), "%s: a FIN is no failed connect", e)
						}
					case ev.Kind == event.ResponseEnded && ev.Request.Traffic == "post":
						Expect(ev.Status).To(BeElementOf(200, 502), "%s: %v", e, ev)
					}
				}
				AddReportEntry(string(e), seen)
				Expect(slices.Max(slices.Collect(func(yield func(int) bool) {
					for _, n := range seen {
						if !yield(n) {
							return
						}
					}
				}))).To(BeNumerically(">", 0))
			}
		}, SpecTimeout(time.Minute))
	}
})
