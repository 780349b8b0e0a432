package nginx

import "github.com/nolive/nolive/proxy/nginxconf"

// accessFormat is our own access log: one JSON object a request. Its fields are
// those of accessLine.
func accessFormat(d dialect) string {
	return `log_format nolive ` + d.escape() + `'{` +
		`"msec":"$msec","pid":"$pid","connection":"$connection",` +
		`"request":"$http_x_nolive_request","status":"$status","took":"$request_time",` +
		`"length":"$content_length","encoding":"$http_transfer_encoding",` +
		`"addr":"$upstream_addr","upstatus":"$upstream_status",` +
		`"connect":"$upstream_connect_time","header":"$upstream_header_time",` +
		`"response":"$upstream_response_time","host":"$proxy_host",` +
		`"close":"$upstream_http_connection",` +
		`"complete":"$request_completion","method":"$request_method",` +
		`"sent":"$body_bytes_sent","announced":"$sent_http_content_length",` +
		`"received":"$upstream_response_length",` +
		`"framed":"$upstream_http_content_length$upstream_http_transfer_encoding"}';`
}

// overFormat is a line that nginx writes among the lines of its error log when a
// request is over: what the error log has of the same connection before it, and
// behind the line of the request before, is the request's.
const overFormat = `log_format nolive_over '` + overBegins + `$connection $http_x_nolive_request $status';`

// overBegins is how such a line begins; no line of nginx's own does.
const overBegins = "request over: *"

// clockServer is our own server block, which says what nginx's clock shows. A
// return comes before every access rule that http may have.
func clockServer(address string) string {
	return "server { listen " + address + "; access_log off; " +
		"keepalive_timeout 1h; keepalive_requests 1000000; " +
		`location / { return 200 "$msec"; } }`
}

// tempPaths are the folders that nginx makes at start whether it needs them or
// not, each with the module that knows the directive.
var tempPaths = []struct{ module, directive string }{
	{"http", "client_body_temp_path"},
	{"http_proxy", "proxy_temp_path"},
	{"http_fastcgi", "fastcgi_temp_path"},
	{"http_uwsgi", "uwsgi_temp_path"},
	{"http_scgi", "scgi_temp_path"},
}

// additions is what the configuration gets beside the user's text: nothing
// that could change which peer a request goes to.
func additions(b binary, root bool, o Options, listens map[string]string, clock, dir string) nginxconf.RenderOptions {
	r := nginxconf.RenderOptions{
		Backends:  o.Backends,
		Listens:   listens,
		AccessLog: "access_log " + accessFile + " nolive; access_log " + errorFile + " nolive_over;",
		ErrorLog:  "error_log " + errorFile + " warn;",
		Dir:       dir,
	}
	r.Main.Text = "daemon off; master_process on; pid " + pidFile + ";"
	if b.atLeast(1, 11, 11) {
		// Requests that still run when we stop nginx are cut off by it, and so
		// written down, instead of being dropped without a line.
		r.Main.Defaults = append(r.Main.Defaults, "worker_shutdown_timeout 10ms;")
	}
	if root {
		// The user that nginx was built for may not exist here.
		r.Main.Defaults = append(r.Main.Defaults, "user root;")
	}
	r.HTTP.Text = accessFormat(b.dialect()) + " " + overFormat + " " + clockServer(clock)
	for _, p := range tempPaths {
		if !b.without[p.module] {
			r.HTTP.Defaults = append(r.HTTP.Defaults, p.directive+" "+tempDir+"/"+p.module+";")
		}
	}
	return r
}
