package cli

import (
	"context"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/proxy/upstream"
)

// modelVersion is a flag that names a version of nginx.
type modelVersion struct{ upstream.Version }

// UnmarshalText reads the flag's value.
func (v *modelVersion) UnmarshalText(text []byte) (err error) {
	v.Version, err = upstream.ParseVersion(string(text))
	return err
}

// found is the version of the first nginx that runs beside the other engines, so
// that they follow the same rules; the zero value when none does, or can: then
// its own run says why.
func found(ctx context.Context, columns []column) upstream.Version {
	for _, c := range columns {
		if c.engine != harness.Nginx {
			continue
		}
		if v, err := (harness.Runner{NginxBinary: c.binary, NginxHost: c.host}).FindNginx(ctx); err == nil {
			return v
		}
	}
	return upstream.Version{}
}
