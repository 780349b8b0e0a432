package scenarios_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nolive/nolive/harness/scenario"
)

// selectors are all keys of when, by what the table of layers calls them.
var selectors = []struct{ key, name, value string }{
	{"from", "window", "1s"}, {"until", "window", "2s"},
	{"connection", "connection", "2"}, {"share", "share", "10%"}, {"exchange", "exchange", "2"},
	{"path", "", "/"}, {"method", "", "GET"}, {"header", "", "{X-A: b}"}, {"request", "", "2"}, {"every", "", "2"},
}

// minimal is the shortest form of faults that need something said.
var minimal = map[string]string{
	"connections": "{connections: {max: 9}}", "slow_accept": "{slow_accept: 1ms}", "tls": "{tls: expired}", "close_on_reuse": "{close_on_reuse: fin}",
	"workers": "{workers: {count: 4}}", "keepalive": "{keepalive: {idle: 5s}}",
}

// FORMAT.md says of each fault what can select it, and that is so.
func TestTheTableOfLayersIsTrue(t *testing.T) {
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| fault | acts on | `when` may say |\n|---|---|---|\n")
	if !ok {
		t.Fatal("FORMAT.md has no table of layers")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	words := regexp.MustCompile(`[a-z_]+`)
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		may := cells[3]
		faults := words.FindAllString(strings.Split(cells[1], "`")[0], -1)
		if strings.Contains(cells[1], "all others") {
			faults = []string{"respond", "hang", "drip"}
		}
		for _, fault := range faults {
			do := minimal[fault]
			switch {
			case do != "":
			case strings.Contains(cells[1], "at: accept"):
				do = "{" + fault + ": {at: accept}}"
			default:
				do = fault
			}
			for _, s := range selectors {
				src := "name: x\nproxy: {nginx: \"upstream u { server a:80; } server { location / { proxy_pass http://u; } }\"}\n" +
					"backends: {a:80: [{when: {" + s.key + ": " + s.value + "}, do: " + do + "}]}\n" +
					"traffic: {t: {request: GET /, headers: {X-A: b}, times: 3}}\nexpect: [{status: {of: t, is: 200}}]\n"
				_, problems := scenario.Parse("x.yaml", []byte(src), nil)
				says := strings.Contains(may, "anything") || s.name != "" && strings.Contains(may, s.name)
				if says != (len(problems) == 0) {
					t.Errorf("%s with %s: FORMAT.md says %v, lint %v", fault, s.key, says, problems)
				}
			}
		}
	}
}
