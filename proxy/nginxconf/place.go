package nginxconf

import "github.com/nolive/nolive/proxy/upstream"

// level is a place that directives stand at: main, http or stream, a server, a
// location, an if, an upstream. Only what it is of is set.
type level struct {
	outer    *level
	loc      *Location // the server's own one, at a server's level
	server   *Server
	stream   *StreamServer
	upstream *upstream.Config
	variable string // that a map makes
	inStream bool   // stream itself
	// names are the directives that stand there.
	names map[string]bool
}

// levels says where each directive stands.
type levels struct {
	at   map[*Directive]*level
	here *level
}

// enter goes on at a level inside the present one, until the function that it
// returns is called.
func (s *levels) enter(l *level) (leave func()) {
	was := s.here
	l.outer, s.here = was, l
	if l.loc != nil && l.loc.level == nil {
		l.loc.level = l
	}
	return func() { s.here = was }
}

// stands notes that a directive stands at the present level.
func (s *levels) stands(d *Directive) {
	s.at[d] = s.here
	if s.here.names == nil {
		s.here.names = map[string]bool{}
	}
	s.here.names[d.Name.Text] = true
}

// levelOf is where a directive stands; one that was never looked at by itself,
// such as a line of a map, stands where its block does.
func (s *levels) levelOf(d *Directive) *level {
	if l, ok := s.at[d]; ok {
		return l
	}
	return s.here
}
