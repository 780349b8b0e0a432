package nginxconf

import "strings"

// found is what a search for a location comes to.
type found uint8

const (
	nothing    found = iota
	prefixed         // a prefix, or the level it began at
	exactly          // an exact one, or a regex: nothing else is looked at
	redirected       // the path lacks only the "/" of a proxied one
)

// find looks for the location among those directly inside parent
// (ngx_http_core_find_location): an exact one, else the longest prefix and what
// is inside of it, else the first regex that matches and what is inside of that.
// The location is the last one that was entered, nil for none.
func (s *Server) find(w *Way, parent *Location) (*Location, found) {
	at, how := s.static(parent, w.rq.Path)
	noRegex := false
	if how == prefixed {
		noRegex = at.noRegex
		if inner, f := s.find(w, at); f != nothing {
			at, how = inner, f
		}
	}
	if how == exactly || how == redirected {
		return at, how
	}
	if noRegex {
		return at, how
	}
	for _, l := range s.Locations {
		if l.parent != parent || l.regex == nil {
			continue
		}
		groups := l.regex.match(w.rq.Path)
		if groups == nil {
			continue
		}
		w.matched(l.regex, groups)
		if inner, f := s.find(w, l); f != nothing {
			l = inner
		}
		return l, exactly
	}
	return at, how
}

// static looks among the locations that are no regex
// (ngx_http_core_find_static_location).
func (s *Server) static(parent *Location, path string) (*Location, found) {
	var best, slashed *Location
	redirects := false
	for _, l := range s.Locations {
		if l.parent != parent || l.regex != nil || l.named {
			continue
		}
		switch {
		case l.Path == path && l.Exact:
			return l, exactly
		case len(l.Path) == len(path)+1 && l.Path[len(path)] == '/' && strings.HasPrefix(l.Path, path):
			// Of an exact one and a prefix, which are one node of the tree, either may
			// be the proxied one, and the exact one's settings hold.
			redirects = redirects || l.redirects()
			if slashed == nil || l.Exact {
				slashed = l
			}
		case !l.Exact && strings.HasPrefix(path, l.Path) && (best == nil || len(l.Path) > len(best.Path)):
			best = l
		}
	}
	switch {
	case redirects && (best == nil || best.Path != path):
		return slashed, redirected
	case best != nil:
		return best, prefixed
	}
	return nil, nothing
}

// redirects says whether a path that lacks only the location's last "/" is sent
// there (auto_redirect).
func (l *Location) redirects() bool {
	return l.Path != "" && l.Path[len(l.Path)-1] == '/' && (l.Pass != nil || l.proxied)
}
