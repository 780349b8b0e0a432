package fault_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
)

func TestEndlessBodies(t *testing.T) {
	for framing, end := range map[string]error{"": io.ErrUnexpectedEOF, "chunked": io.ErrUnexpectedEOF, "length": io.ErrUnexpectedEOF, "close": nil, "http10": nil} {
		f := meaning(t, &fault.EndlessSpec{Every: 20 * time.Millisecond, Bytes: 100, RespondSpec: fault.RespondSpec{Framing: framing, Interim: 103}})
		sc := &f.Script
		sights := sc.Within(time.Second).Timeline(nil, 0, awake)
		// What comes before the body, then a piece at once, fifty in the second, and one more.
		if len(sights) != 2+52 || sights[2].At != 0 || sights[53].At != 51*20*time.Millisecond || sights[53].End != 0 {
			t.Fatalf("%s: %d sights, the last %v", framing, len(sights), sights[len(sights)-1])
		}
		text := string(sc.Response.Append(nil, int64(len(sc.Response.Interim)), sights[53].Bytes-int64(len(sc.Response.Interim))))
		res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		if len(got) != 52*100 || err != end {
			t.Errorf("%s: %d bytes and %v, want %d and %v", framing, len(got), err, 52*100, end)
		}
		all := sc.Timeline(nil, 0, awake)
		if last := all[len(all)-1]; last.At < 5*time.Hour || last.End != fault.Close {
			t.Errorf("%s: it ends at %v with %v", framing, last.At, last.End)
		}
	}
}
