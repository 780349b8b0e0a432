package nginxconf

import (
	"testing"

	"github.com/nolive/nolive/proxy/upstream"
)

func TestKeyOf(t *testing.T) {
	f := &Facts{
		Method: "PUT", Target: "/a/../b%20c//d?id=7&ID=8&empty=&xid=9#part", RemoteAddr: "10.1.2.3", BinaryAddr: []byte{10, 1, 2, 3},
		Headers: func(yield func(name, value string)) {
			yield("X_User", "dropped")
			yield("x-user", "  ann ")
			yield("X-User", "bob")
			yield("X-Users", "no")
			yield("Cookie", "a=1")
			yield("cookie", "b=2")
			yield("X-Forwarded-For", "1.1.1.1")
			yield("X-Forwarded-For", "2.2.2.2")
		},
	}
	for key, want := range map[string]string{
		"":                             "",
		"text":                         "text",
		"$request_uri":                 "/a/../b%20c//d?id=7&ID=8&empty=&xid=9#part",
		"$uri":                         "/b c/d",
		"$document_uri$is_args$args":   "/b c/d?id=7&ID=8&empty=&xid=9",
		"<$arg_id|$arg_ID|$arg_xid>":   "<7|7|9>",
		"<$arg_empty$arg_none$arg_d>":  "<>",
		"${http_x_user}s $HTTP_X_USER": "anns ann",
		"$http_cookie":                 "a=1; b=2",
		"$http_x_forwarded_for":        "1.1.1.1, 2.2.2.2",
		"$http_none":                   "",
		"$scheme:$request_method":      "http:PUT",
		"$remote_addr":                 "10.1.2.3",
		"$binary_remote_addr":          "\n\x01\x02\x03",
	} {
		parts, err := parseKey(key)
		if err != "" {
			t.Errorf("%s: %s", key, err)
			continue
		}
		for _, p := range parts {
			if why := unknowable(p.Variable); p.Variable != "" && why != "" {
				t.Errorf("%s: $%s %s", key, p.Variable, why)
			}
		}
		if got := KeyOf(&upstream.Config{Key: parts}, f); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if got := KeyOf(&upstream.Config{Key: upstream.Key{{Variable: "http_x"}}}, &Facts{Target: "/"}); got != "" {
		t.Errorf("no headers: %q", got)
	}
}
