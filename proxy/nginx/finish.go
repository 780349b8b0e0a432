package nginx

import (
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
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for d, read := p.bin.dialect(), int64(0); ; {
		// Lines are written whole. One that can't be read is told of at the end.
		n, _ := readFile(p.prefix.file(accessFile), func(r io.Reader) (int64, error) {
			if f, ok := r.(*os.File); ok {
				if _, err := f.Seek(read, io.SeekStart); err != nil {
					return 0, err
				}
			}
			n := int64(0)
			return n, eachLine(r, func(_ int, line []byte) error {
				n += int64(len(line)) + 1
				if a, err := d.parse(line); err == nil {
					delete(left, a.request)
				}
				return nil
			})
		})
		read += n
		if len(left) == 0 || ended(p.child) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
