package nginxconf

import "strings"

// conflicts warns of names that several servers of one address have: the first one
// keeps it (ngx_http_server_names). Where the names stand nginx doesn't say.
func (in *interpreter) conflicts() {
	var order []string
	servers := map[string][]*Server{}
	for _, s := range in.cfg.Servers {
		listens := s.Listens
		if len(listens) == 0 {
			listens = []Listen{{Address: "80"}}
		}
		for _, l := range listens {
			at := l.Key()
			if servers[at] == nil {
				order = append(order, at)
			}
			servers[at] = append(servers[at], s)
		}
	}
	for _, at := range order {
		if len(servers[at]) == 1 {
			continue
		}
		had := map[string]bool{}
		for _, s := range servers[at] {
			names := s.Names
			if len(names) == 0 {
				names = []string{""}
			}
			for _, n := range names {
				if strings.HasPrefix(n, "~") {
					continue
				}
				if had[n] {
					in.cfg.Warnings = append(in.cfg.Warnings, Note{Pos: in.cfg.Tree.Files[0].Pos(0), Nowhere: true, Text: "conflicting server name \"" + n + "\" on " + at + ", ignored"})
				}
				had[n] = true
			}
		}
	}
}
