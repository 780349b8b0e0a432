//go:build e2e

package process

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The table of broken files holds nginx's own words.
func TestBrokenOnNginx(t *testing.T) {
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			dir := lay(t, b.text)
			args := []string{"-t", "-p", dir, "-e", filepath.Join(dir, "start.log"), "-c", filepath.Join(dir, "nginx.conf")}
			directives := b.directives
			if !strings.Contains(b.text+directives, "pid ") {
				directives += " pid " + dir + "/pid;"
			}
			args = append(args, "-g", directives)
			out, err := exec.Command("nginx", args...).CombinedOutput()
			if err == nil {
				t.Fatalf("nginx is content: %s", out)
			}
			if got, want := firstEmerg("nginx", string(out)), strings.ReplaceAll(b.want, "DIR", dir); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
