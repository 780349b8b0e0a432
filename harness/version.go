package harness

import (
	"context"
	"fmt"
	"strings"

	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginx"
	"github.com/nolive/nolive/proxy/upstream"
)

// FindNginx is the version of the nginx that the runner runs. A fork counts as
// the nginx it is made from, and one that is older than all that are modelled as
// the oldest.
func (r Runner) FindNginx(ctx context.Context) (upstream.Version, error) {
	found, err := nginx.Look(ctx, r.options())
	if err != nil {
		return upstream.Version{}, err
	}
	v, err := upstream.ParseVersion(found.Number)
	if err != nil {
		return upstream.Oldest, nil
	}
	return v, nil
}

// as returns the scenario as the version of nginx that it has to run as: the one
// asked for, else the scenario's own, else the default. A real nginx is what it
// is, and must do instead.
func (r Runner) as(ctx context.Context, s *scenario.Scenario, e Engine) (*scenario.Scenario, error) {
	wanted := r.Version
	if wanted.IsZero() {
		wanted = s.NginxVersion
	}
	if e != Nginx {
		if wanted.IsZero() {
			wanted = r.DefaultVersion
		}
		return s.As(wanted)
	}
	found, err := r.FindNginx(ctx)
	if err != nil {
		return nil, err
	}
	if d := wanted.Differences(found); !wanted.IsZero() && len(d) > 0 {
		return nil, fmt.Errorf("nginx %s can't stand for %s, which the run asks for: %s", found, wanted, strings.Join(d, ", "))
	}
	return s.As(found)
}
