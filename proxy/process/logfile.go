package process

import (
	"io"
	"os"
	"sync"
	"time"
)

// logFile is one open log. It may be written from many goroutines.
type logFile struct {
	path string // "" for a stream that is never opened again

	mu    sync.Mutex
	out   io.Writer
	file  *os.File
	lines []byte // gathered and not written
	size  int    // of what is gathered at most, 0 for nothing
	wait  time.Duration
	timer *time.Timer
}

// openLog opens a log for appending, as nginx does.
func openLog(path string) (*logFile, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, refuse("open() \"%s\" failed%s", path, numbered(err))
	}
	return &logFile{path: path, out: f, file: f}, nil
}

// write writes a line, or gathers it.
func (l *logFile) write(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size == 0 || len(line) > l.size {
		l.flush()
		_, _ = l.out.Write(line)
		return
	}
	if len(l.lines)+len(line) > l.size {
		l.flush()
	}
	if len(l.lines) == 0 && l.wait > 0 {
		l.timer = time.AfterFunc(l.wait, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.flush()
		})
	}
	l.lines = append(l.lines, line...)
}

// flush writes what was gathered; it is called with mu held.
func (l *logFile) flush() {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if len(l.lines) > 0 {
		_, _ = l.out.Write(l.lines)
		l.lines = l.lines[:0]
	}
}

// reopen opens the path again: who moved the old file away gets no more lines.
func (l *logFile) reopen() error {
	if l.path == "" {
		return nil
	}
	next, err := openLog(l.path)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	_ = l.file.Close()
	l.out, l.file = next.out, next.file
	return nil
}

// close writes what was gathered and closes.
func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	if l.file != nil {
		_ = l.file.Close()
	}
}
