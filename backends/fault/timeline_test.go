package fault_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nolive/nolive/backends/fault"
)

// drawSpec draws any kind of fault with any fields that are allowed.
func drawFault(t *rapid.T) fault.Fault {
	span := rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.IntRange(0, 20).Draw(t, "s")) * time.Second
	})
	r := fault.RespondSpec{
		Status:  rapid.IntRange(200, 599).Draw(t, "status"),
		After:   fault.For(span.Draw(t, "after")),
		Framing: rapid.SampledFrom([]string{"", "length", "chunked", "close", "http10"}).Draw(t, "framing"),
		Rate:    fault.Rate(rapid.SampledFrom([]int{0, 0, 1, 50}).Draw(t, "rate")),
		Interim: rapid.SampledFrom([]int{0, 0, 100, 103}).Draw(t, "interim"),
		Then:    rapid.SampledFrom([]string{"", "keep", "linger", "reset", "hang"}).Draw(t, "then"),
	}
	cut := fault.CutSpec{RespondSpec: r}
	cut.Then = ""
	var s fault.Spec = &r
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 1:
		cut.At = rapid.SampledFrom([]string{"", "header", "after_header", "body"}).Draw(t, "at")
		if r.Status == 204 || r.Status == 304 {
			cut.At = ""
		}
		s = &fault.HangSpec{CutSpec: cut}
	case 2:
		cut.At = rapid.SampledFrom([]string{"", "header", "after_header"}).Draw(t, "at")
		if cut.At != "" {
			cut.Pause = span.Draw(t, "pause")
		}
		s = &fault.ResetSpec{CutSpec: cut}
	case 3:
		s = &fault.CloseSpec{CutSpec: cut}
	case 4:
		r.Rate = 0
		s = &fault.DripSpec{RespondSpec: r, Every: span.Draw(t, "every"), Bytes: fault.Size(rapid.IntRange(1, 30).Draw(t, "bytes")),
			What: rapid.SampledFrom([]string{"", "header", "body"}).Draw(t, "what")}
	case 5:
		s = &fault.SlowPDFSpec{Generate: fault.For(span.Draw(t, "generate")), Size: 5000, Rate: fault.Rate(rapid.IntRange(0, 3000).Draw(t, "rate"))}
	}
	f, err := s.Fault()
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "list") {
		list := []fault.Fault{f}
		for range rapid.IntRange(1, 2).Draw(t, "waits") {
			w, err := (&fault.WaitSpec{Latency: fault.Latency{For: time.Second + span.Draw(t, "wait")}}).Fault()
			if err != nil {
				t.Fatal(err)
			}
			list = append([]fault.Fault{w}, list...)
		}
		if f, err = fault.Compose(list...); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func drawDoors(t *rapid.T) fault.Doors {
	var rules fault.Rules
	for range rapid.IntRange(0, 3).Draw(t, "windows") {
		from := time.Duration(rapid.IntRange(0, 40).Draw(t, "from")) * time.Second
		w := fault.When{From: from}
		if rapid.Bool().Draw(t, "ends") {
			w.Until = from + time.Duration(rapid.IntRange(1, 30).Draw(t, "len"))*time.Second
		}
		door := rapid.SampledFrom([]fault.Door{fault.Frozen, fault.Blackholed, fault.Refusing}).Draw(t, "door")
		rules = append(rules, fault.Rule{When: w, Do: fault.Fault{Door: door}})
	}
	return rules.DoorChanges()
}

func awake(t time.Duration) (time.Duration, bool) { return t, true }

func TestTimelineKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFault(t)
		doors := drawDoors(t)
		sent := time.Duration(rapid.IntRange(0, 50).Draw(t, "sent")) * time.Second
		free := f.Script.Timeline(nil, sent, awake)
		got := f.Script.Timeline(nil, sent, doors.Thaw)
		at, bytes := sent, int64(0)
		for i, v := range got {
			switch {
			case v.At < at:
				t.Fatalf("sight %d goes back in time: %v", i, got)
			case v.Bytes < bytes || v.Bytes > f.Script.Response.Size():
				t.Fatalf("sight %d has %d bytes of %d", i, v.Bytes, f.Script.Response.Size())
			case v.Bytes == bytes && v.End == 0:
				t.Fatalf("sight %d shows nothing", i)
			case v.End != 0 && i != len(got)-1:
				t.Fatalf("sight %d comes after the end", i+1)
			}
			if door, _, _ := doors.At(v.At); door == fault.Frozen || door == fault.Blackholed {
				t.Fatalf("sight %d comes at %v, when the backend is at %v", i, v.At, door)
			}
			// A freeze only delays: the same bytes in the same order, none earlier.
			if v.Bytes != free[i].Bytes || v.End != free[i].End || v.At < free[i].At {
				t.Fatalf("sight %d is %v, and %v without a freeze", i, v, free[i])
			}
			at, bytes = v.At, v.Bytes
		}
		if len(got) < len(free) {
			if last := doors[len(doors)-1].Door; last != fault.Frozen && last != fault.Blackholed {
				t.Fatalf("%d of %d sights, though the freeze ends", len(got), len(free))
			}
		}
		// Announced bytes come whole unless the script ends the connection or stalls.
		if last := f.Script.Steps[len(f.Script.Steps)-1].Op; last == fault.Write || last == fault.Wait {
			if n := len(free); n == 0 || free[n-1].Bytes != f.Script.Response.Size() {
				t.Fatalf("the response isn't whole: %v", free)
			}
		}
		// Without a length only the end of the connection ends the body.
		last := f.Script.Steps[len(f.Script.Steps)-1].Op
		if f.Script.Response.End() < 0 && f.Script.Response.Size() > 0 && last != fault.Stall {
			if n := len(free); n == 0 || free[n-1].End == 0 {
				t.Fatalf("no length and no end: %v", free)
			}
		}
	})
}

func TestTimelineInWords(t *testing.T) {
	s := time.Second
	doors := fault.Doors{{0, fault.Open}, {At: 10 * s, Door: fault.Frozen}, {At: 20 * s, Door: fault.Open}}
	for _, c := range []struct {
		name string
		spec fault.Spec
		sent time.Duration
		want []fault.Sight
	}{
		{"at once", &fault.RespondSpec{}, 1 * s, []fault.Sight{{At: 1 * s, Bytes: 41}}},
		{"sent into the freeze, works from the thaw", &fault.RespondSpec{After: fault.For(2 * s)}, 12 * s, []fault.Sight{{At: 22 * s, Bytes: 41}}},
		{"due in the freeze, done at the thaw", &fault.RespondSpec{After: fault.For(9 * s)}, 2 * s, []fault.Sight{{At: 20 * s, Bytes: 41}}},
		{"due after the freeze, unharmed", &fault.RespondSpec{After: fault.For(19 * s)}, 2 * s, []fault.Sight{{At: 21 * s, Bytes: 41}}},
		{"drip over the freeze", &fault.DripSpec{Every: 4 * s, Bytes: 20}, 5 * s,
			[]fault.Sight{{At: 5 * s, Bytes: 20}, {At: 9 * s, Bytes: 40}, {At: 20 * s, Bytes: 41}}},
		{"hang", &fault.HangSpec{}, 0, nil},
		{"reset after the request", &fault.ResetSpec{CutSpec: fault.CutSpec{RespondSpec: fault.RespondSpec{After: fault.For(s)}}}, 0,
			[]fault.Sight{{At: s, End: fault.Reset}}},
		{"close inside the body", &fault.CloseSpec{CutSpec: fault.CutSpec{At: "body", Pause: s}}, 0,
			[]fault.Sight{{At: 0, Bytes: 39}, {At: s, Bytes: 39, End: fault.Close}}},
		{"no length", &fault.RespondSpec{Framing: "close"}, 0, []fault.Sight{{At: 0, Bytes: 22}, {At: 0, Bytes: 22, End: fault.Close}}},
		{"closes with the last piece of a drip", &fault.DripSpec{Every: s, Bytes: 30, RespondSpec: fault.RespondSpec{Framing: "close", Body: strings.Repeat("x", 20)}}, 0,
			[]fault.Sight{{At: 0, Bytes: 30}, {At: s, Bytes: 39}, {At: s, Bytes: 39, End: fault.Close}}},
		{"connection: close", &fault.RespondSpec{Headers: []fault.Header{{"Connection", "close"}}}, 0,
			[]fault.Sight{{At: 0, Bytes: 60}, {At: 0, Bytes: 60, End: fault.Close}}},
	} {
		f := meaning(t, c.spec)
		if d := cmp.Diff(c.want, f.Script.Timeline(nil, c.sent, doors.Thaw)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	// A script that says nothing of the close by which alone its body ends.
	bare := fault.Script{Response: fault.Response{Head: []byte("x\r\n\r\n"), Announced: -1}, Steps: []fault.Step{{Op: fault.Write, Len: -1}}}
	if d := cmp.Diff([]fault.Sight{{At: s, Bytes: 5}, {At: s, Bytes: 5, End: fault.Close}}, bare.Timeline(nil, s, doors.Thaw)); d != "" {
		t.Errorf("ends with its close: %s", d)
	}
	bare.Steps = nil
	if got := bare.Timeline(nil, s, doors.Thaw); len(got) != 0 {
		t.Errorf("nothing was written, and seen are %v", got)
	}
	forever := fault.Doors{{0, fault.Open}, {At: 10 * s, Door: fault.Blackholed}}
	f := meaning(t, &fault.DripSpec{Every: 4 * s, Bytes: 20})
	if got := f.Script.Timeline(nil, 5*s, forever.Thaw); len(got) != 2 {
		t.Errorf("gone for ever: got %v, want what came before", got)
	}
}

// The door agrees with asking the rules at every second, and the searches with
// walking over them.
func TestDoorsHaveADumbTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDoors(t)
		const end = 80
		stands := func(s int) bool {
			door, _, _ := d.At(time.Duration(s) * time.Second)
			return door == fault.Frozen || door == fault.Blackholed
		}
		for i := 1; i < len(d); i++ {
			if d[i].At <= d[i-1].At || d[i].Door == d[i-1].Door {
				t.Fatalf("%v is no list of changes", d)
			}
		}
		for s := range end {
			at := time.Duration(s) * time.Second
			want, found := s, true
			for stands(want) {
				if want++; want > end {
					found = false
					break
				}
			}
			if got, ok := d.Thaw(at); ok != found || ok && got != time.Duration(want)*time.Second {
				t.Fatalf("Thaw(%v) is %v, %v in %v", at, got, ok, d)
			}
			if stop, ok := d.Stops(at); ok && (stop <= at || !stands(int(stop/time.Second))) {
				t.Fatalf("Stops(%v) is %v in %v", at, stop, d)
			} else if !ok && !stands(s) && stands(end) {
				t.Fatalf("Stops(%v) finds nothing in %v", at, d)
			}
		}
	})
}
