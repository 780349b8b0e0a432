package nginxconf

// streamLogs reads what a level of stream says about its logs. There is no format
// that it has by itself, and no log (ngx_stream_log_set_log).
func (in *interpreter) streamLogs(ds []*Directive) logLevel {
	var named []*Directive
	for _, d := range ds {
		if d.Name.Text == "access_log" && len(d.Args) == 1 && d.Arg(0) != "off" && !d.Broken {
			in.out.add(d.ArgPos(0), missingSemicolon(d), "log format is not specified")
			continue
		}
		named = append(named, d)
	}
	return in.logLevel(named)
}

// streamLogs is where the sessions of a stream server are logged.
func (l logLevel) streamLogs() *Logs {
	out := l.logs()
	out.Default = false
	return out
}
