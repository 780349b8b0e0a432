package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nolive/nolive/backends/certs"
	"github.com/nolive/nolive/proxy/nginxconf"
)

// MadeUp says what the real nginx gets in the place of files that aren't beside the
// scenario, a line for each kind, "file:line:col: note: ...".
func (s *Scenario) MadeUp() []string {
	paths := map[nginxconf.FileKind][]string{}
	first := map[nginxconf.FileKind]nginxconf.Pos{}
	for _, u := range s.Nginx.Tree.StandsIn(s.Files) {
		kind := u.Kind
		if u.Path == certs.File {
			continue
		}
		if kind == nginxconf.Key {
			kind = nginxconf.Certificate
		}
		if _, ok := first[kind]; !ok {
			first[kind] = s.place(u.Pos)
		}
		if !slices.Contains(paths[kind], u.Path) {
			paths[kind] = append(paths[kind], u.Path)
		}
	}
	var out []string
	for _, k := range []struct {
		kind nginxconf.FileKind
		what string
	}{
		{nginxconf.Certificate, "nginx gets a certificate and a key of ours instead"},
		{nginxconf.Authority, "nginx trusts the backends' authority, or one of ours, instead"},
		{nginxconf.Optional, "nginx goes without"},
	} {
		if list := paths[k.kind]; list != nil {
			out = append(out, fmt.Sprintf("%v: note: not all beside the scenario, so %s: %s", first[k.kind], k.what, strings.Join(list, ", ")))
		}
	}
	return out
}
