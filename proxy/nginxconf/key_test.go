package nginxconf

import "testing"

// What every engine makes of a key.
func TestKey(t *testing.T) {
	f := Request("PUT", "/a/../b%20c//d?id=7&ID=8&empty=&xid=9#part")
	for key, want := range map[string]string{
		"":                            "",
		"text":                        "text",
		"$request_uri":                "/a/../b%20c//d?id=7&ID=8&empty=&xid=9#part",
		"$uri":                        "/b c/d",
		"$document_uri$is_args$args":  "/b c/d?id=7&ID=8&empty=&xid=9",
		"<$arg_id|$arg_ID|$arg_xid>":  "<7|7|9>",
		"<$arg_empty$arg_none$arg_d>": "<>",
		"$scheme:$request_method":     "http:PUT",
		"$http_none":                  "",
	} {
		tree, problems := Parse("x", []byte("upstream u { hash \""+key+"\"; server a:1; }"), nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		cfg, problems := Interpret(tree)
		if len(problems) > 0 || len(cfg.NginxOnly) > 0 {
			t.Errorf("%s: %v %v", key, problems, cfg.NginxOnly)
			continue
		}
		if got := cfg.Upstreams[0].Key.Value(&f); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
