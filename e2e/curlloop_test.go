//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
)

const curlLoop = "frozen-backend-curl-loop"

// curlSpeeds are the speeds at which nginx's picks are the same as in real time. The
// first is that of the runs elsewhere too.
var curlSpeeds = []float64{20, 10}

var _ = Describe("The curl loop over a frozen process", func() {
	for _, speed := range curlSpeeds {
		k := key{curlLoop, harness.Nginx, speed, onMachine}
		It("is slow for requests 1, 11, 21 and 31 of 36: "+k.String(), k.labels(), func(ctx SpecContext) {
			theFigures(result(ctx, k))
		}, SpecTimeout(5*time.Minute))
	}
	It("and so it is in a container", kit.Docker, func(ctx SpecContext) {
		theFigures(result(ctx, key{curlLoop, harness.Nginx, curlSpeeds[0], inContainer}))
	}, SpecTimeout(5*time.Minute))
	It("and so it is in the model", kit.Sim, func(ctx SpecContext) {
		theFigures(result(ctx, key{curlLoop, harness.Sim, 0, onMachine}))
	})
	It("and on the reference proxy", kit.Reference, func(ctx SpecContext) {
		theFigures(result(ctx, key{curlLoop, harness.Reference, curlSpeeds[0], onMachine}))
	}, SpecTimeout(5*time.Minute))
	It("and faster, every pick is explained by the model on the run's own instants", kit.Nginx, func(ctx SpecContext) {
		explained(result(ctx, key{curlLoop, harness.Nginx, 0, onMachine}))
	}, SpecTimeout(5*time.Minute))
})

// theFigures are those of nginx in real time: which requests are slow, that all
// are answered, and that the backend is out for 50 s although fail_timeout says
// 30: its effective weight has to climb back first.
func theFigures(r *harness.Result) {
	GinkgoHelper()
	sent := map[event.Request]time.Duration{}
	var slow []int
	var marks []time.Duration
	var out []time.Duration
	answered := 0
	const frozen = "10.10.10.215:8000"
	for _, e := range r.Events {
		switch {
		case e.Kind == event.RequestSent:
			sent[e.Request] = e.At
		case e.Kind == event.ResponseEnded:
			Expect(e.Status).To(Equal(200), "%v", e.Request)
			answered++
			if e.At-sent[e.Request] > 59*time.Second {
				slow = append(slow, e.Request.N)
			}
		case e.Kind == event.PeerMarked:
			Expect(e.Peer).To(Equal(frozen))
			marks = append(marks, e.At)
		case e.Kind == event.AttemptStarted && e.Peer == frozen && len(marks) > len(out):
			out = append(out, e.At-marks[len(marks)-1])
		}
	}
	Expect(answered).To(Equal(36))
	Expect(slow).To(Equal([]int{1, 11, 21, 31}))
	Expect(marks).To(HaveLen(4))
	// Ten pauses of 5 s, each as late as its send was.
	late := 10 * r.Send.Max
	for _, o := range out {
		Expect(o).To(BeNumerically("~", 50*time.Second, time.Second+late))
	}
	Expect(out).To(HaveLen(3))
}
