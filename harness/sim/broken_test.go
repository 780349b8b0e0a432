package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// A chunk that is broken is noticed with what came at once with it, however little of
// it there is: by 1.30.4 too, which waits for more bytes than 1.22.1 (5 to the end of
// a body that has none left, not 3).
func TestBrokenChunkInOneRead(t *testing.T) {
	broken, err := (&fault.MalformedSpec{What: "broken_chunk"}).Fault()
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{"1.22.1", "1.28.3", "1.30.4"} {
		v, err := upstream.ParseVersion(number)
		if err != nil {
			t.Fatal(err)
		}
		s := incident(t, `upstream u { server a; server b; } server { location / { proxy_pass http://u; proxy_read_timeout 1s; } }`,
			map[string]fault.Rules{"a": {{Do: broken}}}, get("t", "/", 1, 0))
		if s, err = s.As(v); err != nil {
			t.Fatal(err)
		}
		want := []string{"0s ended a truncated invalid_header 200", "0s response closed"}
		if d := cmp.Diff(want, story(run(t, s), event.AttemptEnded, event.ResponseEnded)); d != "" {
			t.Errorf("%s: want -, got +\n%s", number, d)
		}
	}
}
