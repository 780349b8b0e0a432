//go:build e2e

// Package stream holds what the model says of TCP proxying against the real
// nginx's stream module.
package stream

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
)

func TestStream(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "stream on sim, reference and nginx", kit.Nginx, kit.Reference)
}

var _ = kit.JUnit("stream")

var _ = Describe("TCP proxying", func() {
	for _, v := range vectors {
		workers := "1"
		if strings.Contains(v.upstream, "zone") {
			workers = "2"
		}
		promised(v.name, `
    worker_processes `+workers+`;
    stream {
      upstream u { `+v.upstream+` }
      server { listen 9000; proxy_pass u; `+v.server+` }
    }`, v.backends, "{curl: {request: GET /, at: ["+v.at+"]}}")
		It("is nginx's own: "+v.name, func(ctx SpecContext) {
			for _, r := range everywhere(ctx, v.name) {
				lines, marks := told(r)
				Expect(lines).To(Equal(v.want), "on %s", r.Engine)
				Expect(marks).To(Equal(v.marks), "on %s", r.Engine)
				explained(r)
			}
		}, SpecTimeout(2*time.Minute))
	}

	for _, method := range []string{"hash $remote_addr;", "hash $binary_remote_addr consistent;"} {
		promised(method, `
    stream {
      upstream u { `+method+` server a:1; server b:1 weight=2; server c:1; server d:1; }
      server { listen 9000; proxy_pass u; }
    }`, "{}", "{all: {request: GET /, rate: 10/s, for: 5s, client: {address: 127.0.0.0/8}}}")
		It("reaches the peer that the client's address picks: "+method, func(ctx SpecContext) {
			results := everywhere(ctx, method)
			explained(results[2])
			sim, _ := told(results[0])
			reference, _ := told(results[1])
			Expect(reference).To(Equal(sim))
			if strings.Contains(method, "consistent") {
				s := written(method).Scenarios[0]
				u := s.Nginx.Upstreams[0]
				for i := range u.Servers {
					u.Servers[i].Address = results[2].Addresses[u.Servers[i].Name]
				}
				again, err := harness.Run(ctx, s, harness.Sim) // with the addresses, which one read again for a version would not have
				Expect(err).NotTo(HaveOccurred())
				sim, _ = told(again)
			}
			nginx, _ := told(results[2])
			Expect(nginx).To(Equal(sim))
		}, SpecTimeout(2*time.Minute))
	}

	const beside = "stands beside http in one configuration"
	promised(beside, `
    load_module modules/ngx_stream_module.so;
    http {
      server { listen 8000; access_log off; location / { proxy_pass http://web; } }
    }
    stream {
      log_format own "$remote_addr";
      server { listen 9000; proxy_pass a:1; access_log own.log own; }
      server { listen 9001; proxy_pass b:1; access_log off; }
    }`, "{}", `{http: {request: GET /, to: "8000", times: 3}, tcp: {request: GET /, to: "9000", times: 3}, other: {request: GET /, to: "9001", times: 3}}`)
	It(beside, func(ctx SpecContext) {
		for _, r := range everywhere(ctx, beside) {
			lines, _ := told(r)
			Expect(lines).To(Equal([]string{"web passed, 200", "web passed, 200", "web passed, 200",
				"b:1 relayed, 200", "b:1 relayed, 200", "b:1 relayed, 200", "a:1 relayed, 200", "a:1 relayed, 200", "a:1 relayed, 200"}), "on %s", r.Engine)
		}
	}, SpecTimeout(2*time.Minute))
})
