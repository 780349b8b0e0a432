//go:build e2e

package process

import (
	"os"
	"testing"
)

// module is nginx's stream module where it isn't built in.
const module = "/usr/lib/nginx/modules/ngx_stream_module.so"

// The same stream block gives the same answers and the same lines on the real
// nginx and here.
func TestStreamAsNginx(t *testing.T) {
	modules := ""
	if _, err := os.Stat(module); err == nil {
		modules = "load_module " + module + ";"
	}
	nginx := streamLogs(t, modules, func(s *site) func() { return startNginx(t, s.conf(), s.dir) })
	if nginx != streamed {
		t.Errorf("nginx\n%s\nthe test's text\n%s", nginx, streamed)
	}
}
