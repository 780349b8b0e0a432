package nginx

import "context"

// Look says what the nginx of some options has, or why it can't be used, as
// Start would.
func Look(ctx context.Context, o Options) (Found, error) {
	f, _, err := look(ctx, o.host())
	return f, err
}
