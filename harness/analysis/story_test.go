package analysis

import (
	"testing"
	"time"

	"github.com/nolive/nolive/harness/event/story"
)

// recorded runs a story.
func recorded(t testing.TB, end time.Duration, text string) *Record {
	t.Helper()
	r := &Record{}
	a := New(r)
	for _, e := range story.Read(t, text) {
		a.Emit(e)
	}
	a.Close(end)
	return r
}

// whole is one request that went to a, timed out, and was answered by b.
const whole = `
	1      sent     r/1
	1.001  attempt  r/1#1 peer=a up=u worker=1
	1.002  got      r/1   peer=a
	61.001 ended    r/1#1 peer=a up=u outcome=read_timeout status=504
	61.001 marked   r/1#1 peer=a up=u
	61.001 attempt  r/1#2 peer=b up=u cached=true worker=1
	61.002 got      r/1   peer=b
	61.020 ended    r/1#2 peer=b up=u outcome=passed status=200 cached=true
	61.020 answered r/1   status=200 worker=1
	61.021 response r/1   outcome=passed status=200
`
