//go:build e2e

package harness

import (
	"path/filepath"
	"testing"
)

// The real nginx starts with them, without the files of the machine that they were
// written for, and answers as the model does.
func TestProductionOnNginx(t *testing.T) {
	for _, name := range production(t) {
		t.Run(filepath.Base(name), func(t *testing.T) { hold(t, name, Nginx) })
	}
}
