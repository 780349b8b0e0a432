package nginxconf

import (
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/upstream"
)

// judged is the version of the nginx that the golden cases were held against.
const judged = "1.22.1"

// asTitled interprets a tree for the version that a case's title begins with,
// "nginx 1.10: ...", else for the one that judged.
func asTitled(t testing.TB, tree *Tree, title string) (*Config, []Problem) {
	t.Helper()
	text, own := ownVersion(title)
	if !own {
		text = judged
	}
	v, err := upstream.ParseVersion(text)
	if err != nil {
		t.Fatal(err)
	}
	return InterpretAs(tree, v)
}

func ownVersion(title string) (version string, own bool) {
	rest, own := strings.CutPrefix(title, "nginx ")
	version, _, colon := strings.Cut(rest, ":")
	return version, own && colon
}

func TestInterpret(t *testing.T) {
	golden(t, "interpret", func(t *testing.T, title, in string) string {
		tree, ps := Parse("x.conf", []byte(in), nil)
		cfg, more := asTitled(t, tree, title)
		if ps = append(ps, more...); len(ps) > 0 {
			return lines(ps)
		}
		return dumpConfig(cfg)
	})
}
