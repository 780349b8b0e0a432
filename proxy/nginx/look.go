package nginx

import (
	"context"
	"fmt"
)

// Look says what the nginx of some options has, or why it can't be used, as
// Start would.
func Look(ctx context.Context, o Options) (Found, error) {
	f, b, err := look(ctx, o.host())
	f.Number = fmt.Sprintf("%d.%d.%d", b.number[0], b.number[1], b.number[2])
	return f, err
}
