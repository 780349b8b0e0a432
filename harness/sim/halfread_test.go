package sim_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
)

// A port that closes resets a connection on which a part of the request is unread,
// and ends the others in the orderly way.
func TestClosingOnAHalfReadBody(t *testing.T) {
	const conf = `upstream u { server a:80; } server { location / { proxy_pass http://u; } }`
	closes := fault.Rule{When: fault.When{From: 4 * time.Second}, Do: fault.Fault{Door: fault.Refusing}}
	barrier := fault.WaitForSpec{Backend: "a:80", Requests: 9}
	for _, tt := range []struct {
		read string
		do   []fault.Spec // before the answer
		want string
	}{
		{"head", nil, "reset"},
		{"3", nil, "reset"},
		{"3", []fault.Spec{&barrier}, "reset"},
		{"5", nil, "closed"},
		{"all", nil, "closed"},
		{"all", []fault.Spec{&barrier}, "closed"},
	} {
		answer := fault.RespondSpec{After: fault.For(time.Hour)}
		if err := answer.Read.UnmarshalText([]byte(tt.read)); err != nil {
			t.Fatal(err)
		}
		var faults []fault.Fault
		for _, spec := range append(tt.do, &answer) {
			f, err := spec.Fault()
			if err != nil {
				t.Fatal(err)
			}
			faults = append(faults, f)
		}
		f, err := fault.Compose(faults...)
		if err != nil {
			t.Fatal(err)
		}
		s := incident(t, conf, map[string]fault.Rules{"a:80": {closes, {Do: f}}},
			scenario.Traffic{Name: "x", Method: "POST", Path: "/", Body: 5, Load: scenario.Load{At: []time.Duration{time.Second}}})
		want := []string{"4s ended a:80 " + tt.want + " 502"}
		if diff := cmp.Diff(want, story(run(t, s), event.AttemptEnded)); diff != "" {
			t.Errorf("read: %s, %d faults: want -, got +\n%s", tt.read, len(faults), diff)
		}
	}
}
