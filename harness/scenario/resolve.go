package scenario

import (
	"reflect"
	"slices"
	"time"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/scenario/internal/bind"
	"github.com/nolive/nolive/harness/scenario/internal/form"
	"github.com/nolive/nolive/proxy/upstream"
)

// engineNames are all engines, in the order in which they run.
func engineNames() []string { return []string{"sim", "reference", "nginx"} }

// resolver turns the written form of one scenario into a Scenario and notes
// what doesn't fit together.
type resolver struct {
	*loader
	b    *bind.Binder
	form *form.Scenario
	s    *Scenario
	cfg  *config
	// ttl is how long rules hold that are given to a running backend, 0 for ever.
	ttl time.Duration
}

func newBinder() *bind.Binder {
	return &bind.Binder{Words: otherKeys, Custom: map[reflect.Type]bind.Func{
		reflect.TypeFor[form.Nginx]():       bindNginx,
		reflect.TypeFor[form.Do]():          bindDo,
		reflect.TypeFor[form.Backend]():     bindBackend,
		reflect.TypeFor[form.Expectation](): bindExpectation,
		reflect.TypeFor[form.Addresses]():   bindAddresses,
		reflect.TypeFor[form.Headers]():     bindHeaders,
		reflect.TypeFor[[]fault.Header]():   bindHeaders,
		reflect.TypeFor[fault.Size]():       bindSize,
		reflect.TypeFor[fault.Latency]():    bindLatency,
	}}
}

func (r *resolver) resolve() {
	f, s := r.form, r.s
	s.About = f.About
	s.Tags = f.Tags
	for i := range f.Tags {
		if n := bind.Node(r.b, &f.Tags[i]); f.Tags[i] != "" && !scenarioName.MatchString(f.Tags[i]) {
			r.b.Errorf(n, "tags: want lower-case words with hyphens, got %q", short(f.Tags[i]))
		}
	}
	s.Engines = r.engines()
	r.nginxVersion()
	r.nginx()
	r.traffic()
	r.backends()
	r.reach()
	r.expect()
	r.pace()
}

func (r *resolver) engines() []string {
	n := bind.Node(r.b, &r.form.Engines)
	if n == nil {
		return engineNames()
	}
	if len(n.Content) == 0 {
		r.b.Errorf(n, "engines: the list is empty, so the scenario would never run")
	}
	var out []string
	for _, e := range engineNames() {
		if slices.Contains(r.form.Engines, e) {
			out = append(out, e)
		}
	}
	return out
}

// nginxVersion is the version that the scenario names.
func (r *resolver) nginxVersion() {
	n := bind.Node(r.b, &r.form.NginxVersion)
	if n == nil || len(r.b.At(n)) > 0 {
		return
	}
	v, err := upstream.ParseVersion(string(r.form.NginxVersion))
	if err != nil {
		r.b.Errorf(n, "nginx_version: %v", err)
	}
	r.s.NginxVersion = v
}

// pace is how fast the scenario runs and how late it may be.
func (r *resolver) pace() {
	f, s := r.form, r.s
	s.MaxSpeed, s.AskSpeed = f.MaxSpeed, float64(f.Speed)
	if s.MaxSpeed > 0 && s.AskSpeed > s.MaxSpeed {
		r.b.Errorf(bind.Node(r.b, &f.Speed), "speed %g is more than max_speed %g", s.AskSpeed, s.MaxSpeed)
	}
	if s.Seed = f.Seed; bind.Node(r.b, &f.Seed) == nil {
		s.Seed = 1
	}
	n := bind.Node(r.b, &f.Jitter)
	switch {
	case n == nil:
		s.Jitter = borne(s.Expect)
	case len(r.b.At(n)) > 0:
	case f.Jitter < time.Millisecond:
		r.b.Errorf(n, "jitter: want at least 1ms, got %s", n.Value)
	default:
		s.Jitter = f.Jitter
	}
}

func short(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}
