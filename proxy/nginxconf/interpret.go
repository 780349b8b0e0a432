package nginxconf

import (
	"cmp"
	"slices"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// Interpret says what a configuration means for failover to the newest stable
// nginx. Problems are those that nginx itself refuses; what nginx accepts and
// the model can't follow is in Config.NginxOnly. The Config is never nil: it
// holds what could be made out.
func Interpret(tree *Tree) (*Config, []Problem) { return InterpretAs(tree, upstream.Version{}) }

// InterpretAs says what a configuration means to another version of nginx:
// defaults differ, and words that it doesn't know are problems.
func InterpretAs(tree *Tree, version upstream.Version) (*Config, []Problem) {
	cfg := &Config{Tree: tree, Version: version, WorkerProcesses: 1, implicit: map[*upstream.Config]bool{}, maps: map[string]*mapping{}}
	in := &interpreter{
		checker: checker{out: &problems{}, cfg: cfg, levels: levels{at: map[*Directive]*level{}, here: &level{}}},
		blocks:  map[string]*upstream.Config{},
		hosts:   map[string]*upstream.Config{},
		ports:   map[string]*port{},
		zones:   map[string]int64{},
		names:   names{made: map[string][]variable.Template{}, elsewhere: map[string]string{}},
	}
	cfg.Backends, in.spelled, in.possible = tree.backends()
	in.pages = tree.errorPaths()
	in.main(tree)
	in.finish()
	in.checkNames()
	cfg.owns = len(in.made) > 0
	in.otherFacts()
	in.namesakes()
	in.conflicts()
	in.sort()
	return cfg, in.out.all()
}

// interpreter is the state of one Interpret.
type interpreter struct {
	checker
	blocks map[string]*upstream.Config // upstream blocks by lower-case name
	hosts  map[string]*upstream.Config // implicit upstreams by host:port
	// spelled are the backends' names by canonical address; possible are those
	// that a proxy_pass with variables may come to.
	spelled  map[string]string
	possible []string
	names
	later []pending
	ports map[string]*port // listens by canonical address
	zones map[string]int64 // sizes of shared memory zones
	formats
	// numbered counts the proxied locations.
	numbered int
	// inStream is true inside stream.
	inStream bool
	// pages are the paths of error pages.
	pages map[string]bool
	// byHeader are the directives that go by a header of the request.
	byHeader []*Directive
}

// main reads the main level: a whole configuration, or the inside of http with
// main-level directives beside it.
func (in *interpreter) main(tree *Tree) {
	main, http := tree.sections()
	in.thirdParty = slices.ContainsFunc(main, func(d *Directive) bool {
		return d.Name.Text == "load_module" && !d.loads(streamModule)
	})
	before := seen{}
	for _, d := range main {
		if !in.check(d, inMain, before) {
			continue
		}
		switch d.Name.Text {
		case "worker_processes":
			in.workers(d, before)
		case "error_log":
			if e, ok := in.errorLog(d); ok {
				in.cfg.ErrorLogs = append(in.cfg.ErrorLogs, e)
			}
		case "events":
			in.once(d, before)
			in.checkAll(d.Children(), inEvents)
		case "http":
			if in.once(d, before) {
				in.http(d.Children())
			}
		case "stream":
			if in.once(d, before) {
				in.stream(d.Children())
			}
		}
	}
	if http != nil {
		in.http(http)
	}
}

// once complains about a second block of its kind.
func (in *interpreter) once(d *Directive, before seen) bool {
	if before[d.Name.Text] {
		in.out.add(d.Pos(), "", "\"%s\" directive is duplicate", d.Name.Text)
		return false
	}
	before[d.Name.Text] = true
	return true
}

func (in *interpreter) workers(d *Directive, before seen) {
	if !in.once(d, before) || d.Arg(0) == "auto" {
		return
	}
	n := number(d.Arg(0))
	if n < 0 {
		in.out.add(d.ArgPos(0), missingSemicolon(d), "\"worker_processes\" directive invalid value")
		return
	}
	in.cfg.WorkerProcesses = int(n)
}

// checkAll checks directives whose meaning doesn't matter here, blocks too.
func (in *interpreter) checkAll(ds []*Directive, where context) {
	before := seen{}
	for _, d := range ds {
		if !in.check(d, where, before) {
			continue
		}
		switch d.Name.Text {
		default:
			in.inner(d, where)
		}
	}
}

// inner checks the blocks that hold no modelled directives.
func (in *interpreter) inner(d *Directive, where context) {
	switch d.Name.Text {
	case "types", "map", "geo", "split_clients", "charset_map":
		for _, c := range d.Children() {
			if c.Block != nil {
				in.out.add(c.File.Pos(c.Block.Span.Start), missingSemicolon(c), "unexpected \"{\"")
			} else if d.Name.Text == "map" && len(c.Args) != 1 && c.Name.Text != "hostnames" && c.Name.Text != "volatile" && !c.Broken {
				in.out.add(c.Pos(), missingSemicolon(c), "invalid number of the map parameters")
			}
		}
	}
	switch d.Name.Text {
	case "map":
		in.mapping(d)
	case "geo", "split_clients":
		in.madeElsewhere(d)
	}
}

// http reads the inside of http: upstream blocks first, because a proxy_pass
// may come before the block it names.
func (in *interpreter) http(ds []*Directive) {
	defer in.enter(&level{})()
	before := seen{}
	good := make([]bool, len(ds))
	for i, d := range ds {
		if good[i] = in.check(d, inHTTP, before); good[i] && d.Name.Text == "upstream" {
			in.upstream(d)
		}
	}
	for name, size := range in.zones {
		if size == 0 {
			in.zoneWithoutSize(ds, name)
		}
	}
	in.readFormats(ds, good)
	base := in.proxyLevel(ds).over(defaults(in.cfg.Version))
	in.cfg.logs = base.logs.logs()
	for i, d := range ds {
		in.formats.now = i
		if !good[i] {
			continue
		}
		if d.Name.Text == "server" {
			in.server(d, base)
		} else {
			in.inner(d, inHTTP)
		}
	}
}

// sort puts everything that was found in the order of the text.
func (in *interpreter) sort() {
	file := map[string]int{}
	for i, f := range in.cfg.Tree.Files {
		if _, ok := file[f.Name]; !ok {
			file[f.Name] = i
		}
	}
	order := func(a, b Pos) int {
		return cmp.Or(cmp.Compare(file[a.File], file[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	}
	slices.SortStableFunc(in.out.list, func(a, b Problem) int { return order(a.Pos, b.Pos) })
	notes := func(a, b Note) int { return order(a.Pos, b.Pos) }
	slices.SortStableFunc(in.cfg.NginxOnly, notes)
	slices.SortStableFunc(in.cfg.Warnings, notes)
	slices.SortStableFunc(in.cfg.Ignored, notes)
	slices.SortStableFunc(in.cfg.Unserved, notes)
}

// sections splits the outermost level into main-level directives and, for a
// text without an http block, the inside of one (nil otherwise).
func (t *Tree) sections() (main, http []*Directive) {
	top := t.Top()
	if t.whole || slices.ContainsFunc(top, func(d *Directive) bool { return d.Name.Text == "http" }) {
		return top, nil
	}
	http = []*Directive{}
	for _, d := range top {
		if _, here, _ := find(d.Name.Text, inMain); here && d.Name.Text != "include" {
			main = append(main, d)
		} else {
			http = append(http, d)
		}
	}
	return main, http
}
