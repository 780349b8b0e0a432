//go:build e2e

package harness_test

import (
	"testing"

	"github.com/nolive/nolive/harness"
)

// And that is what nginx says.
func TestTheErrorLogHasWhatNginxSaysOnNginx(t *testing.T) { complain(t, harness.Nginx) }
