//go:build e2e

package nginxconf

import (
	"fmt"
	"testing"
	"time"
)

// Real nginx takes the same times.
func TestDurationAsNginx(t *testing.T) {
	for _, d := range durations {
		for text, want := range map[string]time.Duration{
			"events { } http { proxy_read_timeout %q; }":                               d.ms,
			"events { } http { upstream a { server 127.0.0.1 \"fail_timeout=%s\"; } }": d.secs,
		} {
			dir := t.TempDir()
			message := nginxTest(t, dir, []byte("pid "+dir+"/pid; "+fmt.Sprintf(text, d.in)))
			if (message == "") != (want != bad) {
				t.Errorf("%q in %s: nginx says %q", d.in, text, message)
			}
		}
	}
}
