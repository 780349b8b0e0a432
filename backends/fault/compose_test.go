package fault_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/backends/fault"
)

func meaning(t testing.TB, s fault.Spec) fault.Fault {
	t.Helper()
	f, err := s.Fault()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestListIsDoneInOrder(t *testing.T) {
	got, err := fault.Compose(
		meaning(t, &fault.WaitSpec{Latency: fault.Latency{For: 2 * time.Second}}),
		meaning(t, &fault.StatusSpec{Code: 503, After: fault.For(time.Second)}),
		meaning(t, &fault.WaitSpec{Latency: fault.Latency{For: 3 * time.Second}}),
		meaning(t, &fault.CloseSpec{}))
	if err != nil {
		t.Fatal(err)
	}
	want := fault.Script{
		Name:     "wait+status+wait+close",
		Response: meaning(t, &fault.StatusSpec{Code: 503}).Script.Response,
		Steps: []fault.Step{
			{Op: fault.ReadAll}, {Op: fault.Wait, For: 2 * time.Second}, {Op: fault.Wait, For: time.Second},
			{Op: fault.Write, Len: -1}, {Op: fault.Wait, For: 3 * time.Second}, {Op: fault.Close},
		},
	}
	if d := cmp.Diff(want, got.Script); d != "" {
		t.Error(d)
	}
	if err := (&fault.Rule{Do: got}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestListOfOneIsThatOne(t *testing.T) {
	for _, k := range fault.Kinds() {
		f, err := k.New().Fault()
		if err != nil {
			continue
		}
		got, err := fault.Compose(f)
		if d := cmp.Diff(f, got); err != nil || d != "" {
			t.Errorf("%s: %v %s", k.Name, err, d)
		}
	}
}

func TestListsThatCantBeMeant(t *testing.T) {
	wait := meaning(t, &fault.WaitSpec{Latency: fault.Latency{For: time.Second}})
	status := meaning(t, &fault.StatusSpec{Code: 503})
	for _, c := range []struct {
		steps []fault.Fault
		want  string
	}{
		{nil, "an empty list does nothing; leave the rule out or say what to do"},
		{[]fault.Fault{wait, meaning(t, &fault.FreezeSpec{})}, "step 2: freeze acts on the whole backend and can't be part of a list"},
		{[]fault.Fault{meaning(t, &fault.ResetSpec{CutSpec: fault.CutSpec{At: "accept"}}), wait}, "step 1: what happens at accept can't be part of a list"},
		{[]fault.Fault{status, meaning(t, &fault.WaitForSpec{Backend: "a"})}, "step 2: wait_for comes before the answer"},
		{[]fault.Fault{status, meaning(t, &fault.KeepaliveSpec{Idle: 1})}, "step 2: keepalive is no part of an answer; give it a rule of its own"},
		{[]fault.Fault{meaning(t, &fault.HangSpec{}), status}, "step 2: nothing can follow hang"},
		{[]fault.Fault{wait, meaning(t, &fault.ResetSpec{}), wait}, "step 3: nothing can follow reset"},
		{[]fault.Fault{status, meaning(t, &fault.RespondSpec{})}, "step 2: respond would answer a second time"},
	} {
		if _, err := fault.Compose(c.steps...); text(err) != c.want {
			t.Errorf("got  %s\nwant %s", text(err), c.want)
		}
	}
}
