package harness_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/nolive/nolive"

// layers is the order of the packages: one imports only those of lower layers.
// So a change in a layer can be understood without the ones above it, and what
// is pure can't reach a socket through what it uses.
var layers = []struct {
	level int
	path  string
	why   string // it may not know of anything at its level or above
}{
	{0, "harness/event", "the alphabet is what all engines agree on, so it can't depend on one"},
	{0, "harness/clock", "scenario time is handed to everything that takes part in a run"},
	{0, "harness/freeport", "who looks for a port needs nothing of what will listen there"},
	{0, "backends/fault", "a fault is data, whoever plays it or evaluates it"},
	{0, "backends/certs", "certificates are made, whoever shows or trusts them"},
	{0, "backends/client", "who changes backends over HTTP needs nothing of what runs them"},
	{0, "harness/agree/cases", "a case is text: what it means is the scenario's business, and running it the engines'"},
	{0, "scenarios", "the shipped files are text; who reads them is the reader's business"},
	{0, "proxy/variable", "a variable is read from facts that whoever asks hands in"},
	{0, "scenarios/catalogue", "the examples are text; who reads them is the reader's business"},
	{1, "harness/answer", "what a client makes of bytes is the same wherever they come from"},
	{1, "harness/event/story", "tests write logs in the words of the alphabet"},
	{1, "proxy/upstream", "the model decides for the simulator and the reference proxy alike, so it knows neither"},
	{1, "harness/analysis", "what is derived from a log must not depend on how it was made or on who judges it"},
	{2, "harness/check", "a check judges what was observed, from whatever engine"},
	{2, "backends", "fake backends serve any proxy under test"},
	{2, "proxy/wire", "what nginx reads into bytes is the same for whoever has the bytes"},
	{2, "proxy/nginxconf", "the configuration means the same to every engine"},
	{2, "harness/scenario/internal/bind", "positions and messages know nothing of what a scenario holds"},
	{3, "harness/scenario/internal/form", "the words of the format come before their meaning"},
	{3, "proxy/reference", "a proxy under test doesn't know that it is tested"},
	{3, "proxy/nginx", "a proxy under test doesn't know that it is tested"},
	{4, "proxy/process", "it starts the proxy; what a request comes to is decided below"},
	{4, "harness/scenario", "a scenario is what was written, before any seed or engine"},
	{4, "proxy/nginx/container", "a container is one more way to start the same nginx"},
	{5, "harness/admin", "backends without a proxy are neither a plan nor a run"},
	{5, "harness/plan", "a plan is the same for every engine"},
	{6, "harness/sim", "the simulator needs no sockets, so it may not meet those who have some"},
	{6, "harness/live", "the runner on sockets gets its proxy handed in, and draws nothing from the simulator"},
	{7, "harness", "the public face runs engines; it doesn't know who looks at the result"},
	{8, "harness/report", "results are rendered, never produced"},
	{8, "harness/census", "it asks the engines what they are asked for, and renders nothing"},
	{8, "harness/agree", "it runs the engines on many cases; it doesn't know who looks at the findings"},
	{8, "harness/match", "a matcher asks a result to judge, and nothing else"},
	{9, "harness/cli", "the command is on top"},
	{10, "", "main only calls the command, or is a backend of it"},
	{10, "e2e/docker/wrapper", "it stands in for nginx in a container, where nothing of ours is"},
	{10, "e2e/kit", "what the suites share is of no use to anybody else"},
}

// forbidden are edges that the layers alone would allow.
var forbidden = []struct {
	from []string // packages, with those below them where the path ends in /
	to   []string // imports, likewise
	why  string
}{
	{pure, []string{"net", "net/", "os", "os/", "syscall", "golang.org/x/sys/", "golang.org/x/net/"},
		"pure: what it computes depends on its arguments alone, so it is tested without a machine around it"},
	{pure, []string{"context", "sync", "runtime", "runtime/"},
		"pure: it never waits and has no goroutines, so there is nothing to cancel or to guard"},
	{pure, []string{"log", "log/"}, "pure: what it has to say is its result"},
	{pure, []string{"math/rand", "math/rand/", "crypto/rand"},
		"pure: all chance is drawn by key from the seed, so that the order of goroutines can't change a result"},
	{pure, []string{module + "/harness/clock"}, "pure: scenario time comes as an argument or on an event, not from a clock"},
	{[]string{"proxy/upstream"}, []string{module + "/harness/analysis"},
		"the model emits what happens without knowing what becomes of it"},
	{[]string{"harness/sim"}, []string{"net", "net/", "os", "os/", "syscall", "golang.org/x/sys/", module + "/harness/clock", module + "/backends"},
		"an hour takes milliseconds because nothing in it is real"},
	{[]string{"harness/answer"}, []string{"net", "os", "os/", "syscall", "golang.org/x/sys/", "time", "context", "sync", module + "/harness/clock"},
		"it parses what it is given, with net/http, so that the simulator can hold it: neither a connection nor a clock is its own"},
	{[]string{"harness/match"}, []string{module + "/harness"},
		"it takes anything that can judge a check, so that a stored run is matched like a fresh one"},
	{except("harness/match", "e2e/kit"), []string{"github.com/onsi/"},
		"the harness runs from anyone's go test; Gomega comes with the matcher, Ginkgo with the suites"},
	{except("harness/cli", "harness/report"), []string{"charm.land/", "github.com/charmbracelet/", "github.com/vbauerster/", "github.com/alecthomas/", "github.com/jstemmer/"},
		"what draws on a terminal or writes files for CI isn't dragged into a library's users"},
	{except("harness/scenario", "harness/scenario/internal/bind"), []string{"go.yaml.in/"},
		"the format is read in one place, with positions"},
	{except("proxy/nginx/container"), []string{"github.com/testcontainers/", "github.com/docker/", "github.com/moby/", "github.com/containerd/"},
		"it brings 140 packages, which only those who start containers should pay for"},
	{except("harness/cli"), []string{module + "/proxy/nginx/container"},
		"whoever runs scenarios from go test gets containers only by importing them"},
	{except("harness/cli", "harness", ""), []string{module + "/scenarios"}, "the library is one more input, known to those who take names of scenarios"},
}

// pure are the packages without input, output, clock or chance of their own.
var pure = []string{"harness/event", "backends/fault", "proxy/variable", "proxy/upstream", "proxy/wire", "harness/analysis", "harness/check", "harness/plan", "harness/agree/cases"}

// except are all packages but some.
func except(paths ...string) []string {
	var out []string
	for _, l := range layers {
		if !slices.Contains(paths, l.path) {
			out = append(out, l.path)
		}
	}
	return out
}

func TestImports(t *testing.T) {
	packages := parseModule(t)
	for _, l := range layers {
		if _, ok := packages[l.path]; !ok {
			t.Errorf("%s is in the table of layers but not in the module", l.path)
		}
	}
	for path, p := range packages {
		for _, wrong := range wrongImports(path, p.imports()) {
			t.Error(wrong)
		}
	}
}

// wrongImports are the imports that a package may not have, each with the reason.
func wrongImports(path string, imports []string) []string {
	var wrong []string
	own, ok := levelOf(path)
	if !ok {
		return []string{fmt.Sprintf("%s is in no layer: add it to the table, with its reason", path)}
	}
	for _, to := range imports {
		inside, isOurs := strings.CutPrefix(to, module)
		if isOurs {
			inside = strings.TrimPrefix(inside, "/")
			if level, ok := levelOf(inside); ok && level >= own {
				wrong = append(wrong, fmt.Sprintf("%s (layer %d) imports %s (layer %d): %s", path, own, inside, level, whyOf(path)))
			}
		}
		for _, f := range forbidden {
			if matches(f.from, path) && matches(f.to, to) {
				wrong = append(wrong, fmt.Sprintf("%s imports %s: %s", path, to, f.why))
			}
		}
	}
	return wrong
}

// matches says whether a path is listed, or lies below an entry that ends in /.
func matches(list []string, path string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		return entry == path || strings.HasSuffix(entry, "/") && strings.HasPrefix(path, entry)
	})
}

func levelOf(path string) (int, bool) {
	for _, l := range layers {
		if l.path == path {
			return l.level, true
		}
	}
	return 0, false
}

func whyOf(path string) string {
	for _, l := range layers {
		if l.path == path {
			return l.why
		}
	}
	return ""
}

// A rule that can't be broken holds nothing.
func TestImportRulesCatch(t *testing.T) {
	for _, c := range []struct{ path, imports, want string }{
		{"proxy/upstream", module + "/harness/sim", "the model decides for"},
		{"harness/analysis", module + "/harness/check", "must not depend on"},
		{"harness/event", module + "/harness/clock", "layer 0"},
		{"harness/check", "net/http", "pure: what it computes"},
		{"harness/plan", "context", "pure: it never waits"},
		{"harness/check", module + "/harness/clock", "not from a clock"},
		{"backends/fault", "math/rand/v2", "pure: all chance"},
		{"harness/analysis", "log/slog", "pure: what it has to say"},
		{"harness/sim", module + "/backends", "nothing in it is real"},
		{"harness/sim", module + "/harness/live", "layer 6"},
		{"harness/answer", "net", "parses what it is given"},
		{"harness/live", module + "/harness/sim", "layer 6"},
		{"harness", "github.com/onsi/gomega", "anyone's go test"},
		{"harness/match", module + "/harness", "anything that can judge"},
		{"proxy/nginx", "github.com/testcontainers/testcontainers-go", "140 packages"},
		{"harness/cli", "github.com/moby/moby/client", "140 packages"},
		{"harness", module + "/proxy/nginx/container", "only by importing them"},
		{"harness/report", module + "/harness/cli", "never produced"},
		{"proxy/reference", module + "/harness/live", "doesn't know that it is tested"},
		{"harness/new", "fmt", "is in no layer"},
	} {
		if got := strings.Join(wrongImports(c.path, []string{c.imports}), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s imports %s: %q, want %q", c.path, c.imports, got, c.want)
		}
	}
	for _, c := range []struct{ path, imports string }{
		{"backends/fault", "hash/fnv"}, {"harness/check", module + "/harness/event"}, {"harness/cli", "os"},
		{"harness/analysis", "strings"}, {"harness/sim", "context"}, {"harness/answer", "net/http"}, {"harness/sim", module + "/harness/answer"}, {"proxy/nginx", "net/netip"},
	} {
		if wrong := wrongImports(c.path, []string{c.imports}); len(wrong) > 0 {
			t.Errorf("%v", wrong)
		}
	}
}
