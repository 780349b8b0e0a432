package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nolive/nolive/proxy/nginxconf"
	"github.com/nolive/nolive/proxy/reference"
	"github.com/nolive/nolive/proxy/variable"
)

// logs are the open logs of one configuration.
type logs struct {
	conf  *configuration
	files map[string]*logFile
	// of are the logs of each place of the configuration that has some.
	of map[*nginxconf.Logs]*places
	// main are the error logs of the process.
	main []errorLog
	errs io.Writer // standard error
	// over is true once everything is ended at once: a worker that exits logs
	// nothing of what it was doing.
	over atomic.Bool
}

// places are the logs of a location.
type places struct {
	access []accessLog
	errors []errorLog
}

type accessLog struct {
	*nginxconf.AccessLog
	file *logFile // nil where the path depends on the request
}

type errorLog struct {
	level nginxconf.Level
	file  *logFile
}

var _ reference.Journal = (*logs)(nil)

// openLogs opens all logs of a configuration. fallback is the error log where
// the configuration has none, "" for standard error; out takes the requests
// where it has no access_log.
func openLogs(c *configuration, fallback string, out, errs io.Writer) (*logs, error) {
	l := &logs{
		conf: c, of: map[*nginxconf.Logs]*places{}, errs: errs,
		files: map[string]*logFile{"stderr": {out: errs}, "": {out: out}},
	}
	main := c.ErrorLogs
	if len(main) == 0 {
		main = []nginxconf.ErrorLog{{Path: fallback, Level: nginxconf.Error}}
		if fallback == "" {
			main[0].Path = "stderr"
		}
	}
	var err error
	if l.main, err = l.errorLogs(main); err != nil {
		l.close()
		return nil, err
	}
	c.EachLogs(func(of *nginxconf.Logs) {
		if l.of[of] == nil && err == nil {
			l.of[of], err = l.places(of)
		}
	})
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *logs) places(of *nginxconf.Logs) (*places, error) {
	p := &places{errors: l.main}
	if of.Errors != nil {
		var err error
		if p.errors, err = l.errorLogs(of.Errors); err != nil {
			return nil, err
		}
	}
	if of.Default {
		combined, _ := variable.CompileFormat([]string{variable.Combined})
		p.access = []accessLog{{&nginxconf.AccessLog{Format: &combined}, l.files[""]}}
	}
	for i := range of.Access {
		a := &of.Access[i]
		log := accessLog{AccessLog: a}
		if a.Path.Constant() {
			f, err := l.file(a.Path.Source())
			if err != nil {
				return nil, err
			}
			if a.Buffer > 0 {
				f.size, f.wait = int(a.Buffer), a.Flush
			}
			log.file = f
		}
		p.access = append(p.access, log)
	}
	return p, nil
}

func (l *logs) errorLogs(all []nginxconf.ErrorLog) ([]errorLog, error) {
	var out []errorLog
	for _, e := range all {
		f, err := l.file(e.Path)
		if err != nil {
			return nil, err
		}
		out = append(out, errorLog{e.Level, f})
	}
	return out, nil
}

// file is the open file for a path as written; one file for each.
func (l *logs) file(written string) (*logFile, error) {
	if f := l.files[written]; f != nil && written != "" {
		return f, nil
	}
	path := l.conf.full(written)
	if f := l.files[path]; f != nil {
		return f, nil
	}
	f, err := openLog(path)
	if err == nil {
		l.files[path] = f
	}
	return f, err
}

// reopen opens all files again, and says which could not be.
func (l *logs) reopen() error {
	var errs []error
	for _, f := range l.files {
		errs = append(errs, f.reopen())
	}
	return errors.Join(errs...)
}

func (l *logs) close() {
	for _, f := range l.files {
		f.close()
	}
}

// placesOf are the open logs of a place.
func (l *logs) placesOf(at *nginxconf.Logs) *places {
	if p := l.of[at]; p != nil {
		return p
	}
	return &places{errors: l.main}
}

// Done writes the access log (ngx_http_log_handler, ngx_stream_log_handler).
func (l *logs) Done(at *nginxconf.Logs, f variable.Facts) {
	if l.over.Load() {
		return
	}
	for _, a := range l.placesOf(at).access {
		if a.If != nil {
			if v := a.If.Value(f); v == "" || v == "0" {
				continue
			}
		}
		line := append(a.Format.Append(make([]byte, 0, 256), f), '\n')
		if a.file != nil {
			a.file.write(line)
			continue
		}
		// nginx opens the file for each line, too, unless open_log_file_cache says
		// otherwise.
		path := l.conf.full(a.Path.Value(f))
		if one, err := openLog(path); err == nil {
			one.write(line)
			one.close()
		} else {
			_, lines := refused(err)
			l.Note(at, nginxconf.Crit, f.Request().Connection, lines[0])
		}
	}
}

// Note writes a line of the error log that has to do with a connection.
func (l *logs) Note(at *nginxconf.Logs, level nginxconf.Level, connection uint64, text string) {
	if !l.over.Load() {
		writeTo(l.placesOf(at).errors, level, connection, text)
	}
}

// note writes a line of the process to its error logs.
func (l *logs) note(level nginxconf.Level, text string) { writeTo(l.main, level, 0, text) }

// toStderr says whether the process's own lines go to standard error anyway.
func (l *logs) toStderr() bool {
	for _, e := range l.main {
		if e.file == l.files["stderr"] {
			return true
		}
	}
	return false
}

// longest is the longest line of an error log (NGX_MAX_ERROR_STR).
const longest = 2048

// writeTo writes one line (ngx_log_error_core); connection 0 is none.
func writeTo(all []errorLog, level nginxconf.Level, connection uint64, text string) {
	var line []byte
	for _, e := range all {
		if level > e.level {
			continue
		}
		if line == nil {
			line = errorLine(time.Now(), level, connection, text)
		}
		e.file.write(line)
	}
}

// errorLine is a line of the error log. There is one process and one thread; both
// numbers are its own.
func errorLine(now time.Time, level nginxconf.Level, connection uint64, text string) []byte {
	pid := os.Getpid()
	b := now.AppendFormat(make([]byte, 0, 128+len(text)), "2006/01/02 15:04:05")
	b = fmt.Appendf(b, " [%v] %d#%d: ", level, pid, pid)
	if connection > 0 {
		b = append(b, '*')
		b = strconv.AppendUint(b, connection, 10)
		b = append(b, ' ')
	}
	b = append(b, text...)
	if len(b) > longest-1 {
		b = b[:longest-1]
	}
	return append(b, '\n')
}
