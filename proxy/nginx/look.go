package nginx

import "context"

// Look says why an nginx can't be used, as Start would; nil when it can. "" is
// the one on PATH.
func Look(ctx context.Context, binary string) error {
	_, err := findBinary(ctx, binary)
	return err
}
