package scenarios_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/scenarios"
)

// page is a text of the format page, or a part of it: what is written as code counts.
type page struct {
	row  map[string]string // of tables, by their first cell
	rest string            // without those
}

var rowLine = regexp.MustCompile(`(?m)^\| (\w+) \|.*\n`)

// section is one part of the page; "" is all of it.
func section(t *testing.T, text, name string) page {
	t.Helper()
	if name != "" {
		_, rest, ok := strings.Cut(text, "\n## "+name+"\n")
		if !ok {
			t.Fatalf("the page has no section %s", name)
		}
		text, _, _ = strings.Cut(rest, "\n## ")
	}
	p := page{row: map[string]string{}}
	for _, m := range rowLine.FindAllStringSubmatch(text, -1) {
		p.row[m[1]] += m[0]
	}
	p.rest = text
	if name != "" {
		p.rest = rowLine.ReplaceAllString(text, "")
	}
	return p
}

var (
	fenced = regexp.MustCompile("(?s)```.*?```")
	inline = regexp.MustCompile("`[^`]+`")
)

// says whether a text has a word as code.
func says(text, word string) bool {
	is := regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(word) + `($|[^\w])`)
	code := fenced.FindAllString(text, -1)
	code = append(code, inline.FindAllString(fenced.ReplaceAllString(text, ""), -1)...)
	return slices.ContainsFunc(code, is.MatchString)
}

// about is what a section says of one of its words: its row, the rows that this
// refers to, and what is said of all.
func (p page) about(word string) string {
	text := p.row[word] + "\n" + p.rest
	for other, row := range p.row {
		if strings.Contains(p.row[word], "`"+other+"`") {
			text += row
		}
	}
	return text
}

// schema is what the test reads of the JSON Schema.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Enum       []any             `json:"enum"`
	AnyOf      []schema          `json:"anyOf"`
	Items      *schema           `json:"items"`
	Defs       map[string]schema `json:"$defs"`
}

// UnmarshalJSON also takes the schemas true and false.
func (s *schema) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return nil
	}
	type plain schema
	return json.Unmarshal(text, (*plain)(s))
}

// words are the keys of a schema and the words of its closed lists, without those of
// the definitions that it refers to.
func (s schema) words() (out []string) {
	for key, p := range s.Properties {
		out = append(append(out, key), p.words()...)
	}
	for _, v := range s.Enum {
		if word, ok := v.(string); ok {
			out = append(out, word)
		}
	}
	for _, a := range s.AnyOf {
		out = append(out, a.words()...)
	}
	if s.Items != nil {
		out = append(out, s.Items.words()...)
	}
	return out
}

// The page says every key that a scenario may have and every word that one may be
// given, each where it belongs: those of a fault and of a check in the row of it or in
// what is said of all, those of `when` in that section.
func TestTheFormatPageSaysEveryWord(t *testing.T) {
	text, _ := example(t)
	var s schema
	if err := json.Unmarshal(scenarios.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	all, do, when, expect := section(t, text, ""), section(t, text, "`do`"), section(t, text, "`when`"), section(t, text, "`expect`")
	n := 0
	hold := func(what, where string, words []string) {
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			if n++; !says(where, w) {
				t.Errorf("%s: the page doesn't say %s", what, w)
			}
		}
	}
	hold("a scenario", all.rest, schema{Properties: s.Properties}.words())
	for name, d := range s.Defs {
		fault, isFault := strings.CutPrefix(name, "do_")
		check, isCheck := strings.CutPrefix(name, "expect_")
		switch {
		case isFault:
			hold(name, do.about(fault), d.words())
		case isCheck:
			hold(name, expect.about(check), d.words())
		case name == "When":
			hold(name, when.rest, d.words())
		case name == "Answer":
			for _, w := range d.words() {
				if expect.row[w] == "" {
					hold(name, expect.rest, []string{w})
				}
			}
		case name == "Fault":
			for _, a := range d.AnyOf {
				for fault, p := range a.Properties {
					hold(name, do.about(fault), p.words())
				}
			}
		case name == "Expectation", name == "Outcome": // rows of their own
		default:
			hold(name, all.rest, d.words())
		}
	}
	if n < 250 {
		t.Errorf("only %d words were looked for", n)
	}
}

// The page has a row for each way in which an attempt can end, and none for another.
func TestTheFormatPageHasEveryOutcome(t *testing.T) {
	text, _ := example(t)
	rows := section(t, text, "Outcomes").row
	for o := event.Passed; o < event.ClientTimeout; o++ {
		if rows[o.String()] == "" {
			t.Errorf("no row for %v", o)
		}
		delete(rows, o.String())
	}
	delete(rows, "outcome") // the head
	if len(rows) > 0 {
		t.Error(fmt.Sprint("no attempt ends so: ", rows))
	}
}
