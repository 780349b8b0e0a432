package bind

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	Flag bool          `yaml:"flag"`
	Wait time.Duration `yaml:"wait"`
}

type outer struct {
	Name  string `yaml:"name" jsonschema:"required"`
	inner `yaml:",inline"`
	Shade string            `yaml:"shade" jsonschema:"enum=light,enum=dark"`
	N     int               `yaml:"n" jsonschema:"minimum=1,maximum=9"`
	Many  []inner           `yaml:"many"`
	By    map[string]*inner `yaml:"by"`
	Maybe *int              `yaml:"maybe"`
	Plain uint8
	Skip  string `yaml:"-"`
}

func bindText(t *testing.T, src string) (*outer, *Binder, []string) {
	t.Helper()
	var ps Problems
	root := Parse([]byte(src), &ps)
	b := &Binder{}
	x := new(outer)
	if root != nil {
		Bind(b, root, x)
	}
	var out []string
	for _, p := range append(ps.List(), b.List()...) {
		s := fmt.Sprintf("%d:%d: %s", p.Line, p.Col, p.Text)
		if p.Hint != "" {
			s += " -> " + p.Hint
		}
		out = append(out, s)
	}
	return x, b, out
}

func TestBind(t *testing.T) {
	x, b, ps := bindText(t, "name: x\nflag: true\nwait: 5s\nshade: dark\nn: 9\nmany: [{flag: true}, {wait: 1s}]\nby:\n  k: {wait: 2s}\nmaybe: 3\nplain: 255\n")
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	three := 3
	want := &outer{Name: "x", inner: inner{true, 5 * time.Second}, Shade: "dark", N: 9, Many: []inner{{Flag: true}, {Wait: time.Second}},
		By: map[string]*inner{"k": {Wait: 2 * time.Second}}, Maybe: &three, Plain: 255}
	if d := cmp.Diff(want, x, cmp.AllowUnexported(outer{})); d != "" {
		t.Error(d)
	}
	// Every value knows where it came from, also in lists and maps.
	for what, n := range map[string]int{
		"name": Node(b, &x.Name).Line, "wait": Node(b, &x.Wait).Line, "many 1": Node(b, &x.Many[1].Wait).Column,
		"by k": Node(b, &x.By["k"].Wait).Line, "key k": Key(b, x.By["k"]).Column,
	} {
		if want := map[string]int{"name": 1, "wait": 3, "many 1": 29, "by k": 8, "key k": 3}[what]; n != want {
			t.Errorf("%s: got %d, want %d", what, n, want)
		}
	}
	if x, b, _ := bindText(t, "name: x\n"); Node(b, &x.Wait) != nil {
		t.Error("wait wasn't given")
	}
}

func TestBindReportsEverything(t *testing.T) {
	for src, want := range map[string][]string{
		"{}":                               {"1:1: name is missing"},
		"nmae: x":                          {`1:1: unknown key "nmae" -> name`},
		"name: [x]":                        {"1:7: name: want text, got a list"},
		"name: 5\nflag: 1\nwait: [1s]":     {`1:7: name: want text, got the number 5 -> "5"`, "2:7: flag: want true or false, got the number 1", "3:7: wait: want a duration such as 60s, got a list"},
		"name: x\nshade: drak":             {`2:8: shade: want one of light, dark, got "drak" -> dark`},
		"name: x\nn: 0":                    {"2:4: n: want at least 1, got 0"},
		"name: x\nn: 10":                   {"2:4: n: want at most 9, got 10"},
		"name: x\nn: 0x5":                  {"2:4: n: want a whole number, in decimal, got the number 0x5"},
		"name: x\nn: 99999999999999999999": {"2:4: n: want a whole number, got the number 99999999999999999999"},
		"name: x\nn: \"5\"":                {`2:4: n: want a whole number, got "5" -> 5 without quotes`},
		"name: x\nplain: 256":              {"2:8: plain: 256 is too big a number"},
		"name: x\nplain: -1":               {"2:8: plain: want a whole number from 0, got the number -1"},
		"name: x\nmany: {flag: true}":      {"2:7: many: want a list, got a mapping"},
		"name: x\nmany: [5, {flga: 1}]":    {"2:8: many: want a mapping, got the number 5", `2:12: many: unknown key "flga" -> flag`},
		"name: x\nby: [1]":                 {"2:5: by: want a mapping, got a list"},
		"name: x\nby: {a: }":               {"2:9: a is empty; give it a value or leave it out"},
		"name: x\nmaybe: many":             {`2:8: maybe: want a whole number, got "many"`},
		"name: x\nSkip: a":                 {`2:1: unknown key "Skip"; there are name, flag, wait, shade, n, many, by, maybe, plain`},
		"name: x\nwait: .inf":              {"2:7: wait: want a duration such as 60s, 1h or 250ms, got \".inf\""},
		"name: x\nname: y\n[1]: 2\n? {a: b}\n: c\n": {
			`2:1: key "name" is given twice, first in line 1`, "3:1: want a key, got a list", "4:3: want a key, got a mapping"},
	} {
		if _, _, got := bindText(t, src); !cmp.Equal(got, want) {
			t.Errorf("%q:\n%s", src, cmp.Diff(want, got))
		}
	}
}

func TestAtMostAHundred(t *testing.T) {
	var ps Problems
	for i := range 2 * MaxProblems {
		ps.Add(Problem{Line: i, Col: 1})
		ps.Add(Problem{Line: i, Col: 1})
	}
	if len(ps.List()) != MaxProblems || !ps.More() {
		t.Errorf("%d, more: %v", len(ps.List()), ps.More())
	}
}
