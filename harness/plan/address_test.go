package plan

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nolive/nolive/harness/scenario"
)

func loaded(t *testing.T, traffic string) *Plan {
	t.Helper()
	src := "name: a\nproxy:\n  nginx: \"server { location / { proxy_pass http://app1; } }\"\ntraffic:\n" + traffic +
		"\nexpect:\n  - log: {contains: x, count: 0}\n"
	f, ps := scenario.Parse("a.yaml", []byte(src), nil)
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	return New(f.Scenarios[0], 7)
}

func TestAddress(t *testing.T) {
	p := loaded(t, `  users: {request: GET /, users: 3, times: 4, client: {address: 127.0.0.0/8}}
  open: {request: GET /, rate: 10/s, for: 100s, client: {address: [127.0.0.7, 127.0.1.0/24, 127.0.2.1..127.0.2.9]}}
  one: {request: GET /, times: 2, client: {address: 127.9.9.9}}
  unsaid: {request: GET /, times: 2}`)
	users, open, one, unsaid := &p.Traffic[0], &p.Traffic[1], &p.Traffic[2], &p.Traffic[3]
	seen := map[scenario.Address]bool{}
	for u := 1; u <= 3; u++ {
		at := users.Address(u)
		seen[at] = true
		for k := 1; k <= 4; k++ {
			if r := users.Request(u, k); users.Address(r.N) != at {
				t.Errorf("user %d moved from %v to %v", u, at, users.Address(r.N))
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("three users of 16 million addresses: %v", seen)
	}
	count := map[string]int{}
	clear(seen)
	for n := 1; n <= 1000; n++ {
		a := open.Address(n)
		seen[a] = true
		switch {
		case a == scenario.Address{127, 0, 0, 7}:
			count["one"]++
		case a[2] == 1:
			count["network"]++
		case a[2] == 2 && a[3] >= 1 && a[3] <= 9:
			count["range"]++
		default:
			t.Errorf("request %d comes from %v", n, a)
		}
	}
	// 1 + 256 + 9 addresses, each as likely as any other.
	if count["one"] > 20 || count["network"] < 930 || count["range"] < 15 || count["range"] > 60 || len(seen) < 200 {
		t.Errorf("%v, %d different ones", count, len(seen))
	}
	if got := one.Address(2); got.String() != "127.9.9.9" {
		t.Error(got)
	}
	if got := unsaid.Address(2); got != scenario.Loopback {
		t.Error(got)
	}
	if again := New(p.Scenario, 7).Traffic[1].Address(17); again != open.Address(17) {
		t.Errorf("%v, then %v", open.Address(17), again)
	}
	if New(p.Scenario, 8).Traffic[1].Address(17) == open.Address(17) && New(p.Scenario, 9).Traffic[1].Address(17) == open.Address(17) {
		t.Error("the seed doesn't matter")
	}
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"request open/1 at 0s from 127.", "user users 2 starts at 0s from 127.", "user one 1 starts at 0s from 127.9.9.9\n", "user unsaid 1 starts at 0s\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the plan doesn't say %q:\n%s", want, b.String()[:min(600, b.Len())])
		}
	}
}
