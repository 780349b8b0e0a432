package nginxconf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

func TestParse(t *testing.T) {
	golden(t, "parse", func(t *testing.T, _, in string) string {
		tree, ps := Parse("x.conf", []byte(in), nil)
		if got := tree.Bytes(); string(got) != in {
			t.Errorf("put together again it is %q", got)
		}
		var b strings.Builder
		dumpTree(&b, tree.Directives, "")
		return b.String() + lines(ps)
	})
}

func TestParseBytes(t *testing.T) {
	long := strings.Repeat("x", 4095)
	for name, c := range map[string]struct{ in, want string }{
		"byte order mark":        {"\xef\xbb\xbfevents {}\n", ""},
		"carriage returns":       {"server {\r\n listen 80;\r\n}\r\n", ""},
		"4095 bytes fit":         {"set a " + long + ";", ""},
		"4096 bytes do not":      {"set a " + long + "x;", "x.conf:1:7: too long parameter \"xxxxxxxxxx...\" started (nginx reads words and comments of up to 4096 bytes)"},
		"a comment doesn't fit":  {"\n#" + long + "\n", "x.conf:2:1: too long parameter \"#xxxxxxxxx...\" started (nginx reads words and comments of up to 4096 bytes)"},
		"a quoted word doesn't":  {"set a '" + long + "x';", "x.conf:1:8: too long parameter, probably missing terminating \"'\" character"},
		"the file ends in it":    {"set a " + long + "x", "x.conf:1:4103: unexpected end of file, expecting \";\" or \"}\" (\";\" is missing after \"" + long[:60] + "...\" at 1:7)"},
		"a backslash at the end": {`set a b\`, "x.conf:1:9: unexpected end of file, expecting \";\" or \"}\" (\";\" is missing)"},
	} {
		tree, ps := Parse("x.conf", []byte(c.in), nil)
		got := ""
		if len(ps) > 0 {
			got = ps[0].String()
		}
		if got != c.want || len(ps) > 1 {
			t.Errorf("%s: got %q, want %q", name, ps, c.want)
		}
		if !bytes.Equal(tree.Bytes(), []byte(c.in)) {
			t.Errorf("%s: the text changed", name)
		}
	}
}

// A text inside a YAML file has its places in that file.
func TestParsePlaces(t *testing.T) {
	_, ps := ParseSource(Source{Name: "s.yaml", Line: 10, Col: 5, Text: []byte("server {\n  listen 80;;\n}\n")})
	if len(ps) != 1 || ps[0].String() != `s.yaml:11:17: unexpected ";"` {
		t.Errorf("got %v", ps)
	}
}

func TestInclude(t *testing.T) {
	files := fstest.MapFS{
		"a.conf":        {Data: []byte("server { include loc/*.conf; }")},
		"loc/2.conf":    {Data: []byte("location /2 { } # end")},
		"loc/1.conf":    {Data: []byte("location /1 { }\n")},
		"loc/.x.conf":   {Data: []byte("location /x { }\n")},
		"loop.conf":     {Data: []byte("include loop.conf;")},
		"open.conf":     {Data: []byte("server {")},
		"close.conf":    {Data: []byte("}")},
		"twice.conf":    {Data: []byte("include thrice.conf; include thrice.conf;")},
		"thrice.conf":   {Data: []byte("gzip on;;")},
		"d/z.conf":      {Data: []byte("gzip on;")},
		"d.e/z.conf":    {Data: []byte("gzip off;")},
		"sub/mime.conf": {Data: []byte("types { a b; }")},
	}
	for name, c := range map[string]struct{ in, want string }{
		"in order, hidden ones not": {"include a.conf;", "1:1 \"include\" \"a.conf\"\n  from a.conf\n  1:1 \"server\" {\n    1:10 \"include\" \"loc/*.conf\"\n      from loc/1.conf\n      1:1 \"location\" \"/1\" {\n      from loc/2.conf\n      1:1 \"location\" \"/2\" {\n"},
		"sorted by whole names":     {"include d*/z.conf;", "1:1 \"include\" \"d*/z.conf\"\n  from d.e/z.conf\n  1:1 \"gzip\" \"off\"\n  from d/z.conf\n  1:1 \"gzip\" \"on\"\n"},
		"no such file":              {"include no.conf;", "x.conf:1:9: open() \"no.conf\" failed (2: No such file or directory)\n"},
		"no file matches":           {"include no*.conf;", "1:1 \"include\" \"no*.conf\"\n"},
		"a broken pattern":          {"include a[.conf;", "1:1 \"include\" \"a[.conf\"\n"},
		"includes itself":           {"include loop.conf;", "loop.conf:1:9: \"loop.conf\" includes itself\n"},
		"not whole":                 {"include open.conf; include close.conf;", "open.conf:1:9: unexpected end of file, expecting \"}\" (the block of \"server\" opened at 1:8 isn't closed)\nclose.conf:1:1: unexpected \"}\"\n"},
		"outside":                   {"include ../x.conf;", "x.conf:1:9: open() \"../x.conf\" failed (a file outside of the configuration's folder can't be included)\n"},
		"absolute":                  {"include /etc/nginx/b.conf;", "x.conf:1:9: open() \"/etc/nginx/b.conf\" failed (only files beside the configuration can be included: copy it there)\n"},
		"absolute, beside":          {"include /etc/nginx/d/z.conf;", "1:1 \"include\" \"/etc/nginx/d/z.conf\"\n  from d/z.conf\n  1:1 \"gzip\" \"on\"\n"},
		"absolute, all beside":      {"include /etc/nginx/d/*.conf;", "1:1 \"include\" \"/etc/nginx/d/*.conf\"\n  from d/z.conf\n  1:1 \"gzip\" \"on\"\n"},
		"mime.types may be missing": {"include /etc/nginx/mime.types; include mime.types;", "1:1 \"include\" \"/etc/nginx/mime.types\"\n1:32 \"include\" \"mime.types\"\n"},
	} {
		tree, ps := Parse("x.conf", []byte(c.in), files)
		var b strings.Builder
		for _, p := range ps {
			fmt.Fprintln(&b, p)
		}
		if len(ps) == 0 {
			dumpTree(&b, tree.Directives, "")
		}
		if b.String() != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, b.String(), c.want)
		}
	}
}

// A configuration can't make the parser read without end.
func TestIncludeBound(t *testing.T) {
	files := fstest.MapFS{"00.conf": {Data: nil}}
	for i := range 20 {
		next := fmt.Sprintf("include %02d.conf;", i)
		files[fmt.Sprintf("%02d.conf", i+1)] = &fstest.MapFile{Data: []byte(next + next)}
	}
	_, ps := Parse("x.conf", []byte("include 20.conf;"), files)
	if len(ps) == 0 || !strings.Contains(ps[0].Text, "more than 500 files are included") {
		t.Errorf("got %v", ps)
	}
}

// Nor nest or complain without end.
func TestParseBounds(t *testing.T) {
	_, ps := Parse("x.conf", bytes.Repeat([]byte("a{"), 1<<20), nil)
	if len(ps) != 1 || ps[0].Text != "blocks are nested more than 100 deep" {
		t.Errorf("nested: %v", ps)
	}
	_, ps = Parse("x.conf", bytes.Repeat([]byte(";"), 1<<20), nil)
	if len(ps) != maxProblems+1 || ps[maxProblems].Text != "too many mistakes, giving up" {
		t.Errorf("%d problems, the last is %v", len(ps), ps[len(ps)-1])
	}
}
