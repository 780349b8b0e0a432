package nginx

import (
	"errors"
	"strings"
	"testing"

	"github.com/nolive/nolive/proxy/nginxconf"
)

func TestStreamModule(t *testing.T) {
	tree, _ := nginxconf.Parse("x", []byte("stream { server { listen 1; proxy_pass 127.0.0.1:2; } }"), nil)
	loaded, _ := nginxconf.Parse("x", []byte("load_module modules/ngx_stream_module.so; stream { server { listen 1; proxy_pass 127.0.0.1:2; } }"), nil)
	none, _ := nginxconf.Parse("x", []byte("server { return 200; }"), nil)
	const v = "nginx version: nginx/1.22.1\nconfigure arguments: --prefix=/usr/share/nginx "
	for _, c := range []struct {
		name, output string
		tree         *nginxconf.Tree
		there        bool
		main, err    string
	}{
		{"built in", v + "--with-stream --with-stream_ssl_module", tree, false, "x", ""},
		{"a module", v + "--modules-path=/usr/lib/nginx/modules --with-stream=dynamic", tree, true, "load_module /usr/lib/nginx/modules/ngx_stream_module.so; x", ""},
		{"a module in the prefix", v + "'--with-stream=dynamic'", tree, true, "load_module /usr/share/nginx/modules/ngx_stream_module.so; x", ""},
		{"a module that the user loads", v + "--with-stream=dynamic", loaded, true, "x", ""},
		{"a module that isn't there", v + "--with-stream=dynamic", tree, false, "", "needs the module /usr/share/nginx/modules/ngx_stream_module.so, which isn't there"},
		{"without", v + "--with-stream_ssl_module", tree, true, "", "was built without it"},
		{"too old", strings.Replace(v, "1.22.1", "1.10.3", 1) + "--with-stream", tree, true, "", "writes no log of it"},
		{"not needed", v, none, false, "x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg, ps := nginxconf.Interpret(c.tree)
			b, ok := parseVersion(c.output)
			if len(ps) > 0 || !ok {
				t.Fatal(ps, ok)
			}
			var r nginxconf.RenderOptions
			r.Main.Text = "x"
			err := b.addStream(&r, Options{Config: cfg}, "/usr/sbin/nginx", func(string) bool { return c.there })
			var wrong *StreamError
			switch {
			case c.err == "" && (err != nil || r.Main.Text != c.main || (r.StreamLog == "") != (c.tree == none)):
				t.Errorf("%v, %+v", err, r)
			case c.err != "" && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), c.err)):
				t.Errorf("%v, want %s", err, c.err)
			}
		})
	}
}
