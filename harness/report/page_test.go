package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios"
)

// section is the part of the page under a heading, up to the next one.
func section(t *testing.T, heading string) string {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "# "+heading+"\n")
	if !ok {
		t.Errorf("the page has no heading %q", heading)
	}
	rest, _, _ = strings.Cut(rest, "\n#")
	return rest
}

var words = regexp.MustCompile("`([^`]+)`")

// column are the words of a column of a section's table, the first one is 1.
func column(text string, n int) []string {
	var out []string
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) < n+2 || !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, m := range words.FindAllStringSubmatch(cells[n], -1) {
			out = append(out, m[1])
		}
	}
	return out
}

func sameWords(t *testing.T, what string, want, got []string) {
	t.Helper()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -what is written +what the page has:\n%s", what, diff)
	}
}

// Every key that --json and replay --json write is in the table of its object, marked
// where it may be left out, and no table has another one.
func TestThePageHasEveryKey(t *testing.T) {
	type object struct {
		heading string
		is      reflect.Type
	}
	all := []object{{"`--json`", reflect.TypeFor[document]()}, {"`nolive replay --json`", reflect.TypeFor[replays]()}, {"The first line", reflect.TypeFor[event.Header]()}}
	paths := map[reflect.Type]string{reflect.TypeFor[replays](): "replay.", reflect.TypeFor[document](): ""}
	for len(all) > 0 {
		o := all[0]
		all = all[1:]
		var keys []string
		for _, f := range reflect.VisibleFields(o.is) {
			key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || key == "-" {
				continue
			}
			if key == "" {
				t.Errorf("%v: %s has no name", o.is, f.Name)
			}
			mark := ""
			if strings.Contains(options, "omitempty") {
				mark = "?"
			}
			keys = append(keys, key+mark)
			path, inner := paths[o.is]+key, f.Type
			for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
				if inner.Kind() == reflect.Slice {
					path += "[]"
				}
				inner = inner.Elem()
			}
			if _, told := paths[inner]; told || inner.Kind() != reflect.Struct || inner == reflect.TypeFor[fact]() {
				continue
			}
			paths[inner] = path + "."
			all = append(all, object{"`" + path + "`", inner})
		}
		sameWords(t, o.heading, keys, column(section(t, o.heading), 1))
	}
}

// Every key and every kind of an event is there, and every kind with the keys that
// events of it have in runs of shipped scenarios.
func TestThePageHasEveryEvent(t *testing.T) {
	var e event.Event
	v := reflect.ValueOf(&e).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int64:
			f.SetInt(1)
		case reflect.Uint8:
			f.SetUint(1)
		default:
			e.Request = event.Request{Traffic: "users", N: 1}
		}
	}
	var keys []string
	for key := range object(t, e) {
		if key != "at" && key != "kind" {
			key += "?"
		}
		keys = append(keys, key)
	}
	if len(keys) != v.NumField() {
		t.Fatalf("%d fields, but written are %v", v.NumField(), keys)
	}
	sameWords(t, "Events", keys, column(section(t, "Events"), 1))

	var kinds []string
	table := section(t, "Kinds of events")
	for k := event.Kind(1); k.String() != fmt.Sprintf("kind(%d)", k); k++ {
		kinds = append(kinds, k.String())
	}
	sameWords(t, "Kinds of events", kinds, column(table, 1))

	has := map[string][]string{}
	for line := range strings.Lines(table) {
		for _, kind := range column(line, 1) {
			for _, w := range column(line, 3) {
				if more, ok := has[w]; ok { // as `attempt`
					has[kind] = append(has[kind], more...)
				} else {
					has[kind] = append(has[kind], w)
				}
			}
		}
	}
	met := map[string]bool{}
	for _, e := range someEvents(t) {
		for key := range object(t, e) {
			if kind := e.Kind.String(); key != "at" && key != "kind" && !slices.Contains(has[kind], key) && !met[kind+key] {
				met[kind+key] = true
				t.Errorf("the page doesn't say that %s has a %s: %+v", kind, key, e)
			}
		}
		met[e.Kind.String()] = true
	}
	for _, kind := range kinds {
		if !met[kind] {
			t.Errorf("the shipped scenarios have no event %s to hold the page against", kind)
		}
	}
}

// object are the keys of an event as it is written.
func object(t *testing.T, e event.Event) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.NewDecoder(bytes.NewReader(event.AppendJSON(nil, e))).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// someEvents are those of the shipped scenarios that the simulator has done with soon.
func someEvents(t *testing.T) []event.Event {
	t.Helper()
	var out []event.Event
	for _, name := range scenarios.Names() {
		src, _ := scenarios.Source(name)
		f, problems := scenario.Parse(name, src, scenarios.FS)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		s := f.Scenarios[0]
		if !slices.Contains(s.Engines, string(harness.Sim)) || harness.Length(s) > 2*time.Minute {
			continue
		}
		r, err := harness.Runner{Keep: harness.KeepAll}.Run(context.Background(), s, harness.Sim)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.Events...)
	}
	return out
}
