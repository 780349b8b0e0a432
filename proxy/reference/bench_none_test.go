//go:build !e2e

package reference

import "testing"

// benchNginx is "": without the tag e2e nginx takes no part.
func benchNginx(*testing.B, string) string { return "" }
