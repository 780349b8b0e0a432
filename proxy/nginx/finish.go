package nginx

import (
	"bufio"
	"context"
	"io"
	"os"
	"time"

	"github.com/nolive/nolive/harness/event"
)

// Finish returns when nginx has written down that it is done with each of the requests,
// when it has ended, or when ctx does.
func (p *Process) Finish(ctx context.Context, requests []event.Request) {
	left := make(map[event.Request]bool, len(requests))
	for _, r := range requests {
		left[r] = true
	}
	log, err := os.Open(p.prefix.file(accessFile))
	if err != nil {
		return // Close says so
	}
	defer log.Close()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var line []byte
	for lines, d := bufio.NewReader(log), p.bin.dialect(); len(left) > 0; {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		switch err {
		case nil:
			// A line that can't be read is told of at the end.
			if a, err := d.parse(line); err == nil {
				delete(left, a.request)
			}
			line = line[:0]
			continue
		case bufio.ErrBufferFull:
			continue
		case io.EOF:
		default:
			return
		}
		if ended(p.child) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
