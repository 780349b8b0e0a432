package nginxconf

import "strconv"

// The lines that nginx logs as errors about a request's way, or how they begin.
const (
	tooLarge   = "client intended to send too large body: "         // ngx_http_core_find_config_phase
	tooChunked = "client intended to send too large chunked body: " // ngx_http_request_body_chunked_filter
	forbidden  = "access forbidden by rule"                         // ngx_http_access_found
	cycle      = "rewrite or internal redirection cycle"            // ngx_http_internal_redirect and others
	noLocation = "could not find named location"                    // ngx_http_named_location
	noLength   = "the rewritten URI has a zero length"              // ngx_http_script_regex_end_code
	badPrefix  = "invalid URL prefix"                               // ngx_http_proxy_eval
	noResolver = "no resolver defined to resolve"                   // ngx_http_upstream_init_request
	afterwards = " while sending to client"
	bodyFile   = "a client request body is buffered to a temporary file" // ngx_http_write_request_body
)

// Hole is any text in a line of Lines: a number, a path, a name.
const Hole = "\x00"

// Lines are all lines of Complaints, and the ones about a request's body that a shell
// adds, each with Hole for what differs from one to another.
func Lines() []string {
	q := quoted(Hole)
	return []string{
		tooLarge + Hole + " bytes", tooChunked + Hole + "+" + Hole + " bytes", bodyFile, forbidden,
		cycle + " while processing " + q, cycle + " while internally redirecting to " + q, cycle + " while redirect to named location " + q,
		noLocation + " " + q, noLength, badPrefix + " in " + q, noResolver + " " + Hole,
		"no host in upstream " + q, "invalid host in upstream " + q, "invalid port in upstream " + q,
		"no path in the unix domain socket in upstream " + q, "too long path in the unix domain socket in upstream " + q,
		"invalid IPv6 address in upstream " + q, "invalid port range in upstream " + q,
	}
}

// TooLargeBody is the line about a body whose length, in bytes, is more than
// client_max_body_size.
func TooLargeBody(length int64) string { return tooLarge + strconv.FormatInt(length, 10) + " bytes" }

// TooLargeChunks is the line about a body in chunks that grows too long: so many bytes
// of it were read, and that many more are announced.
func TooLargeChunks(read, more int64) string {
	return tooChunked + strconv.FormatInt(read, 10) + "+" + strconv.FormatInt(more, 10) + " bytes"
}

// BodyFile is the warning about a body that doesn't fit its buffer (Pass.Spools). In
// nginx's the file's name follows.
func BodyFile() string { return bodyFile }

// quoted is a text as nginx's lines quote one: whatever it is.
func quoted(s string) string { return `"` + s + `"` }
