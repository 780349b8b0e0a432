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
	answering  = " while reading response header from upstream"
	unsafeURI  = "unsafe URI " // ngx_http_parse_unsafe_uri
	detected   = " was detected"
	bodyFile   = "a client request body is buffered to a temporary file" // ngx_http_write_request_body
)

// Lines are all lines of Complaints, and the ones about a request's body that a shell
// adds, each with hole for what differs from one to another.
func Lines(hole string) []string {
	q := quoted(hole)
	out := []string{tooLarge + hole + " bytes", tooChunked + hole + "+" + hole + " bytes", bodyFile}
	for _, line := range []string{
		forbidden, noLocation + " " + q, noLength, badPrefix + " in " + q, noResolver + " " + hole,
		cycle + " while processing " + q, cycle + " while internally redirecting to " + q, cycle + " while redirect to named location " + q,
		unsafeURI + q + detected, "no host in upstream " + q, "invalid host in upstream " + q, "invalid port in upstream " + q, "invalid port range in upstream " + q,
		"invalid IPv6 address in upstream " + q, "no path in the unix domain socket in upstream " + q, "too long path in the unix domain socket in upstream " + q,
	} {
		out = append(out, line, line+afterwards, line+answering)
	}
	return out
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
