package reference

import "strconv"

// statusText is a status line behind the version, in nginx's words
// (ngx_http_status_lines); a status without any is the number and a space.
func statusText(status int) string {
	if text, ok := statusLines[status]; ok {
		return text
	}
	return strconv.Itoa(status) + " "
}

var statusLines = map[int]string{
	200: "200 OK", 201: "201 Created", 202: "202 Accepted", 204: "204 No Content", 206: "206 Partial Content",
	301: "301 Moved Permanently", 302: "302 Moved Temporarily", 303: "303 See Other", 304: "304 Not Modified",
	307: "307 Temporary Redirect", 308: "308 Permanent Redirect",
	400: "400 Bad Request", 401: "401 Unauthorized", 402: "402 Payment Required", 403: "403 Forbidden", 404: "404 Not Found",
	405: "405 Not Allowed", 406: "406 Not Acceptable", 408: "408 Request Time-out", 409: "409 Conflict", 410: "410 Gone",
	411: "411 Length Required", 412: "412 Precondition Failed", 413: "413 Request Entity Too Large",
	414: "414 Request-URI Too Large", 415: "415 Unsupported Media Type", 416: "416 Requested Range Not Satisfiable",
	421: "421 Misdirected Request", 429: "429 Too Many Requests",
	500: "500 Internal Server Error", 501: "501 Not Implemented", 502: "502 Bad Gateway", 503: "503 Service Temporarily Unavailable",
	504: "504 Gateway Time-out", 505: "505 HTTP Version Not Supported", 507: "507 Insufficient Storage",
}

// builtIn is nginx's page for a status, "" for one that has none
// (ngx_http_error_pages).
func builtIn(status int) string {
	title, more := "", ""
	switch status {
	case 200, 201, 202, 204, 206, 304:
	case 302:
		title = "302 Found"
	case 401:
		title = "401 Authorization Required"
	case 494:
		title, more = "400 Request Header Or Cookie Too Large", "Request Header Or Cookie Too Large"
	case 495:
		title, more = "400 The SSL certificate error", "The SSL certificate error"
	case 496:
		title, more = "400 No required SSL certificate was sent", "No required SSL certificate was sent"
	case 497:
		title, more = "400 The plain HTTP request was sent to HTTPS port", "The plain HTTP request was sent to HTTPS port"
	case 498:
		title = "404 Not Found"
	default:
		title = statusLines[status]
	}
	if title == "" {
		return ""
	}
	head := title
	if more != "" {
		head, more = "400 Bad Request", "<center>"+more+"</center>\r\n"
	}
	return "<html>\r\n<head><title>" + title + "</title></head>\r\n<body>\r\n" +
		"<center><h1>" + head + "</h1></center>\r\n" + more + "<hr><center>" + serverName + "</center>\r\n</body>\r\n</html>\r\n"
}
