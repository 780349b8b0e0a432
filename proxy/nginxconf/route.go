package nginxconf

// Route finds who answers a request: the server for to (a listen address as
// written, a server_name, or "" for the first listen's default server) and its
// location for the path by nginx's precedence. Both are nil when to is
// unknown; the location is never nil otherwise.
func (c *Config) Route(to, path string) (*Server, *Location) { return nil, nil }

// UpstreamURI is the request target sent to the backend for a client's
// request target.
func (p *Pass) UpstreamURI(target string) string { return target }
