//go:build e2e

package nginxconf

import (
	"fmt"
	"strings"
	"testing"
)

// The patterns mean to nginx what their table says.
func TestPatternsAsNginx(t *testing.T) {
	var b strings.Builder
	b.WriteString("server { listen 80; merge_slashes off;\n")
	for i, p := range patterns {
		op := "~"
		pattern, caseless := strings.CutPrefix(p.pattern, "~*")
		if caseless {
			op = "~*"
		}
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(pattern)
		fmt.Fprintf(&b, "location ~ \"(?s)^/%d/(?<text>.*)\" { if ($text %s \"%s\") { return 200 \"[$1][$2][$3]\"; } return 200 -; }\n", i, op, quoted)
	}
	at := runNginx(t, b.String()+"}")
	for i, p := range patterns {
		target := fmt.Sprintf("/%d/", i)
		for _, c := range []byte(p.text) {
			target += fmt.Sprintf("%%%02x", c)
		}
		status, body := get(t, at, target)
		if got := strings.ToValidUTF8(body, "?"); status != 200 || body != p.want {
			t.Errorf("%s on %q: nginx says %d %q, the table %q", p.pattern, p.text, status, got, p.want)
		}
	}
}
