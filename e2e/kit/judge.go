package kit

import (
	"context"
	"os"
	"sync"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/proxy/upstream"
)

// Version is the version of the nginx on PATH, which is the judge: sim and reference
// follow its rules, and what nginx changed is expected as it has it. Without an
// nginx it is the newest stable one, and every run on nginx says what is wrong.
var Version = sync.OnceValue(func() upstream.Version {
	v, err := harness.Runner{}.FindNginx(context.Background())
	if err != nil {
		return upstream.Stable
	}
	return v
})

// Runner runs scenarios as the judge's version unless they name one.
func Runner() harness.Runner { return harness.Runner{DefaultVersion: Version()} }

// Containers says whether the suites run nginx in containers too. NOLIVE_CONTAINERS=none
// says no, as make does with NGINX=PATH: the image has an nginx of another version.
func Containers() bool { return os.Getenv("NOLIVE_CONTAINERS") != "none" }
