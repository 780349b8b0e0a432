package nginxconf

// Endpoint is an address taken apart, of a listen or of a backend.
type Endpoint struct {
	// Unix is the path of a unix socket; then nothing else is set.
	Unix string
	// Host is a name, an address, "[::1]" with its brackets, or "*".
	Host string
	// Port is the first port and Last the last one of a range, 0 for none.
	Port, Last int
}

// Endpoint is the address of a listen; without a port it is 80.
func (l Listen) Endpoint() Endpoint {
	a, _ := parseAddress(l.Address, 80, forListen)
	return a.endpoint()
}

// Key is one spelling for all ways to write the address.
func (l Listen) Key() string { return canonicalListen(l.Address) }

// BackendEndpoint is the address of a backend by its name in the configuration.
func BackendEndpoint(name string) Endpoint {
	a, _ := parseAddress(name, 80, forServer)
	return a.endpoint()
}

func (a address) endpoint() Endpoint {
	if a.unix {
		return Endpoint{Unix: a.host}
	}
	return Endpoint{Host: a.host, Port: a.port, Last: a.last}
}

// Main is the last directive of that name at the main level, nil for none.
func (t *Tree) Main(name string) *Directive {
	var found *Directive
	for _, d := range t.Top() {
		if d.Name.Text == name && !d.Broken {
			found = d
		}
	}
	return found
}

// Before puts the directives of another text, such as -g of the command line, in
// front of this one's.
func (t *Tree) Before(first *Tree) {
	t.Files = append(t.Files, first.Files...)
	t.Directives = append(append([]*Directive(nil), first.Directives...), t.Directives...)
}
