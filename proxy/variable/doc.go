// Package variable is nginx's variables: text with $names in it is compiled
// once and then given its value for a request, in nginx's own names and formats.
// It is pure: what a request is, who asks has to say (Facts); it reads no clock
// and no socket.
//
//	t, err := variable.Compile("$scheme://${host}$request_uri")
//	t.Value(facts) // "http://example.com/a?b"
//
// A variable is of one of four kinds. Most are in the table (table.go). Some
// have a prefix and any name behind it: $http_x_y. Some are made by the
// configuration (set, map, a regex's captures): Request.Own knows them. And some
// are nginx's but can't be known here: Unknowable says why, and who compiles a
// configuration must refuse them there.
//
// A variable that isn't there is nothing in a text (ngx_http_script_copy_var_code)
// and "-" in a log line (ngx_http_log_variable): Template and Format.
package variable
