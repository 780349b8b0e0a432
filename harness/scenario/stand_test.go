package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/backends/fault"
)

const stand = `# two of them
seed: 7
backends:
  "*":
    - when: {path: /slow}
      do: {respond: {after: 1s}}
  127.0.0.1:9001:
    - when: {request: 1..2} # at first
      do: {close: {at: header}}
  app2:
    listen: 127.0.0.1:9002
    rules:
      - do: freeze
`

func TestStand(t *testing.T) {
	s, ps := ParseStand("b.yaml", []byte(stand))
	if ps != nil {
		t.Fatal(ps)
	}
	if s.Seed != 7 || len(s.Backends) != 2 {
		t.Fatalf("got seed %d and %d backends", s.Seed, len(s.Backends))
	}
	one, two := s.Backends[0], s.Backends[1]
	if one.Name != "127.0.0.1:9001" || one.Listen != one.Name || len(one.Rules) != 2 || one.Rules[1].When.Path != "/slow" {
		t.Errorf("got %+v", one)
	}
	if two.Name != "app2" || two.Listen != "127.0.0.1:9002" || len(two.Rules) != 2 || two.Rules[0].Do.Door != fault.Frozen {
		t.Errorf("got %+v", two)
	}
	// What is shown can be given again.
	for _, b := range s.Backends {
		again, ps := ParseRules("text", []byte(b.Text), 0, b.Listen)
		if ps != nil || len(again) != len(b.Rules) || strings.Contains(b.Text, "#") {
			t.Errorf("%s: %q: %v", b.Name, b.Text, ps)
		}
	}
}

// Every mistake has its place in the text that was given.
func TestStandMistakes(t *testing.T) {
	parse := map[string]func(string) Problems{
		"stand": func(s string) Problems { _, ps := ParseStand("x", []byte(s)); return ps },
		"rules": func(s string) Problems { _, ps := ParseRules("x", []byte(s), 30*time.Second, "unix:/x"); return ps },
		"do":    func(s string) Problems { _, ps := ParseDo("x", []byte(s), "127.0.0.1:1", "unix:/x"); return ps },
	}
	for _, c := range []struct{ what, src, want string }{
		{"stand", "{}", "x:1:1: backends is missing"},
		{"stand", "backends: {}", "x:1:11: backends: there is none to serve"},
		{"stand", "backends:\n  app1:\n  - do: hang", "x:2:3: app1: the name is no IP address with a port, such as 127.0.0.1:9001, nor unix:/path, and there is no listen"},
		{"stand", "backends:\n  app1:\n    listen: localhost:9", `x:3:13: listen: want an IP address and a port, such as 127.0.0.1:9001, or unix:/path, got "localhost:9"`},
		{"stand", "backends:\n  127.0.0.1:1:\n    process: true", "x:3:5: process: only in a scenario; start another nolive backend, and send it SIGSTOP"},
		{"stand", "backend: {}", "x:1:1: unknown key \"backend\" (did you mean \"backends\"?)"},
		{"rules", "- do: hnag", `x:1:7: do: unknown fault "hnag"; there are`},
		{"rules", "- do: hang\n- do: {status: 503}", "x:2:3: rules: this rule is never reached, because one before it has no when"},
		{"rules", "- when: {path: /a*}\n  do: hang\n- when: {path: /ab, method: GET}\n  do: {status: 503}", "x:3:3: rules: this rule is never reached, because the one in line 1 takes all of it"},
		{"rules", "- do: freeze\n- when: {from: 1s}\n  do: refuse", "x:2:3: rules: this rule is never reached, because one before it has no when"},
		{"rules", "- when: {from: 30s}\n  do: hang", "x:1:16: rules: this window never opens: the rules end after 30s, their ttl"},
		{"rules", "- when: {from: 2s, until: 1s}\n  do: hang", "x:1:27: rules: this window never opens: until 1s isn't after from 2s"},
		{"rules", "hang", "x:1:1: rules: want a list"},
		{"rules", "- do: {status: 503}\n  when: {path: /a}\n- do: blackhole", "x:3:3: rules: blackhole: a connect to a unix socket is always answered: "},
		{"stand", "backends:\n  app1:\n    listen: unix:app.sock", `x:3:13: listen: want an IP address and a port, such as 127.0.0.1:9001, or unix:/path, got "unix:app.sock"`},
		{"stand", "backends:\n  app1:\n    listen: unix:/run/app.sock\n    rules: [{do: blackhole}]", "x:4:14: app1: blackhole: a connect to a unix socket"},
		{"stand", "backends:\n  unix:/run/app.sock: [{do: hang}]\n  \"*\": [{do: blackhole}]", "x:3:10: *: blackhole: a connect to a unix socket"},
		{"do", "blackhole", "x:1:1: do: blackhole: a connect to a unix socket"},
		{"rules", "", "x:1:1: the file is empty"},
		{"rules", "[{do: hang}", "x:1:"},
		{"do", "close: {at: heder}", `x:1:13: at: want one of`},
		{"do", "wait: 2s", "x:1:1: do: this ends without an answer"},
	} {
		got := parse[c.what](c.src)
		if !strings.HasPrefix(got.Error(), c.want) {
			t.Errorf("%s %q: got\n%v\nwant\n%s", c.what, c.src, got, c.want)
		}
	}
	for what, src := range map[string]string{
		"stand": "backends:\n  unix:/run/app.sock: [{do: reset}]\n  127.0.0.1:1: [{do: blackhole}]",
		"rules": `[{"when": {"path": "/x"}, "do": {"status": 503}}]`, "do": "close_on_reuse: {with: reset}",
	} {
		if ps := parse[what](src); ps != nil {
			t.Errorf("%s %s: %v", what, src, ps)
		}
	}
	if rules, ps := ParseRules("x", []byte("do: hang"), 0, ""); ps != nil || len(rules) != 1 {
		t.Errorf("one rule: %v", ps)
	}
}
