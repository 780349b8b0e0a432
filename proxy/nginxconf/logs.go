package nginxconf

import (
	"strings"
	"time"

	"github.com/nolive/nolive/proxy/variable"
)

// Logs is where the requests of a location are logged. The zero value is
// nowhere but the configuration's own error logs.
type Logs struct {
	// Access are the access logs; none is off, or no access_log at all.
	Access []AccessLog
	// Default is true where no access_log is given at any level: nginx then writes
	// to the file that it was built with.
	Default bool
	// Errors are the error logs of the nearest level that has any; none is the
	// configuration's own (Config.ErrorLogs).
	Errors []ErrorLog
}

// AccessLog is one access_log.
type AccessLog struct {
	Pos Pos
	// Path is the file, as written.
	Path   variable.Template
	Format *variable.Format
	// If decides for each request: "" and "0" don't log it. nil logs all.
	If *variable.Template
	// Buffer is how many bytes are gathered before they are written, 0 for none;
	// Flush how long they may wait, 0 for ever.
	Buffer int64
	Flush  time.Duration
}

// ErrorLog is one error_log.
type ErrorLog struct {
	Pos Pos
	// Path is the file as written, or "stderr".
	Path string
	// Level is the least serious level that is written.
	Level Level
}

// Logs is where the requests of a location are logged; a nil location is the
// server's own level, a nil server that of http.
func (c *Config) Logs(s *Server, l *Location) *Logs {
	switch {
	case l != nil && l.logs != nil:
		return l.logs
	case s != nil && s.own != nil && s.own.logs != nil:
		return s.own.logs
	case c.logs != nil:
		return c.logs
	}
	return &Logs{Default: true}
}

// EachLogs calls yield for the logs of http, of every server and every location,
// and for those of every server of stream.
func (c *Config) EachLogs(yield func(*Logs)) {
	yield(c.Logs(nil, nil))
	for _, s := range c.Servers {
		yield(c.Logs(s, nil))
		for _, l := range s.Locations {
			yield(c.Logs(s, l))
		}
	}
	for _, s := range c.Streams {
		yield(s.Logs)
	}
}

// logLevel is what one level says about its logs.
type logLevel struct {
	off    bool
	access []AccessLog
	errors []ErrorLog
}

// over fills what the level leaves open from the level outside of it
// (ngx_http_log_merge_loc_conf).
func (l logLevel) over(outer logLevel) logLevel {
	if !l.off && l.access == nil {
		l.off, l.access = outer.off, outer.access
	}
	if l.errors == nil {
		l.errors = outer.errors
	}
	return l
}

// logs is the level as it counts: off beside other lines wins.
func (l logLevel) logs() *Logs {
	out := &Logs{Access: l.access, Default: !l.off && l.access == nil, Errors: l.errors}
	if l.off {
		out.Access = nil
	}
	return out
}

// formats are the log_formats by name, each with the place in http after which
// it is known.
type formats struct {
	all map[string]namedFormat
	// now is the place that is being read, -1 while it is http itself.
	now int
}

type namedFormat struct {
	format *variable.Format
	from   int
}

// formats reads all log_formats (ngx_http_log_set_format).
func (in *interpreter) readFormats(ds []*Directive, good []bool) {
	combined, _ := variable.CompileFormat([]string{variable.Combined})
	in.formats = formats{map[string]namedFormat{}, -1}
	if !in.inStream {
		in.formats.all["combined"] = namedFormat{&combined, -1}
	}
	for i, d := range ds {
		if d.Name.Text != "log_format" || !good[i] {
			continue
		}
		name := d.Arg(0)
		if _, taken := in.formats.all[name]; taken {
			in.out.add(d.ArgPos(0), "", "duplicate \"log_format\" name \"%s\"", name)
			continue
		}
		var words []string
		for _, a := range d.Args[1:] {
			words = append(words, a.Text)
		}
		f, err := variable.CompileFormat(words)
		if err != nil {
			in.out.add(d.ArgPos(1), missingSemicolon(d), "%s", err)
		}
		in.logReads(d, f.Names())
		in.formats.all[name] = namedFormat{&f, i}
	}
}

// format is the format of that name, nil when it isn't known at place i of http.
func (in *interpreter) format(name string, i int) *variable.Format {
	for n, f := range in.formats.all {
		if strings.EqualFold(n, name) && f.from < i {
			return f.format
		}
	}
	return nil
}

// logLevel collects a level's access_log and error_log lines.
func (in *interpreter) logLevel(ds []*Directive) logLevel {
	var l logLevel
	for i, d := range ds {
		if d.Block != nil || d.Broken || len(d.Args) == 0 {
			continue
		}
		switch d.Name.Text {
		case "access_log":
			at := in.formats.now
			if at < 0 {
				at = i
			}
			in.accessLog(d, at, &l)
		case "error_log":
			if e, ok := in.errorLog(d); ok {
				l.errors = append(l.errors, e)
			}
		}
	}
	return l
}

// accessLog reads one access_log (ngx_http_log_set_log).
func (in *interpreter) accessLog(d *Directive, at int, l *logLevel) {
	if d.Arg(0) == "off" {
		l.off = true
		if len(d.Args) > 1 {
			in.out.add(d.ArgPos(1), missingSemicolon(d), "invalid parameter \"%s\"", d.Arg(1))
		}
		return
	}
	a := AccessLog{Pos: d.Pos()}
	if strings.HasPrefix(d.Arg(0), "syslog:") {
		in.unserved(d, 0, "logs go to files")
	}
	path, err := variable.Compile(d.Arg(0))
	if err != nil {
		in.out.add(d.ArgPos(0), "", "%s", err)
		return
	}
	a.Path = path
	in.logReads(d, path.Names())
	name := "combined"
	if len(d.Args) > 1 {
		name = d.Arg(1)
	}
	if a.Format = in.format(name, at); a.Format == nil {
		in.out.add(d.ArgPos(1), missingSemicolon(d), "unknown log format \"%s\"", name)
		return
	}
	if in.accessParameters(d, &a) {
		l.access = append(l.access, a)
	}
}

// accessParameters reads what follows the format's name.
func (in *interpreter) accessParameters(d *Directive, a *AccessLog) bool {
	for i, p := range d.Args[min(2, len(d.Args)):] {
		key, value, has := strings.Cut(p.Text, "=")
		why := ""
		switch {
		case key == "buffer" && has:
			if a.Buffer = size(value, "km"); a.Buffer <= 0 {
				why = "invalid buffer size \"" + value + "\""
			}
		case key == "flush" && has:
			t, ok := duration(value, milliseconds)
			if a.Flush = t; !ok || t == 0 {
				why = "invalid flush time \"" + value + "\""
			}
		case key == "gzip":
			if n := number(value); has && (n < 1 || n > 9) {
				why = "invalid compression level \"" + value + "\""
				break
			}
			in.unserved(d, i+2, "logs aren't compressed")
		case key == "if" && has:
			t, err := variable.Compile(value)
			if err != nil {
				why = err.Error()
				break
			}
			a.If = &t
			in.logReads(d, t.Names())
		default:
			why = "invalid parameter \"" + p.Text + "\""
		}
		if why != "" {
			in.out.add(d.ArgPos(i+2), missingSemicolon(d), "%s", why)
			return false
		}
	}
	switch {
	case a.Flush > 0 && a.Buffer == 0:
		in.out.add(d.ArgPos(0), "", "no buffer is defined for access_log \"%s\"", d.Arg(0))
	case a.Buffer > 0 && !a.Path.Constant():
		in.out.add(d.ArgPos(0), "", "buffered logs cannot have variables in name")
	default:
		return true
	}
	return false
}

// errorLog reads one error_log (ngx_log_set_log).
func (in *interpreter) errorLog(d *Directive) (ErrorLog, bool) {
	e := ErrorLog{Pos: d.Pos(), Path: d.Arg(0), Level: Error}
	if strings.HasPrefix(e.Path, "syslog:") || strings.HasPrefix(e.Path, "memory:") {
		in.unserved(d, 0, "logs go to files")
	}
	for i, p := range d.Args[1:] {
		level := parseLevel(p.Text)
		switch {
		case level == 0 && strings.HasPrefix(p.Text, "debug_"):
			level = Debug
		case level == 0:
			in.out.add(d.ArgPos(i+1), missingSemicolon(d), "invalid log level \"%s\"", p.Text)
			return e, false
		case i > 0:
			in.out.add(d.ArgPos(i+1), "", "duplicate log level \"%s\"", p.Text)
			return e, false
		}
		e.Level = level
	}
	return e, true
}

// logReads notes the variables that a log reads.
func (in *interpreter) logReads(d *Directive, names []string) {
	in.uses(d, 0, names)
	for _, n := range names {
		if why := variable.Unknowable(n); why != "" {
			in.unserved(d, 0, "$"+n+" "+why)
		}
	}
}
