package variable

import (
	"slices"
	"strconv"
	"strings"
)

// streamOnly are the variables that only nginx's stream modules have. In http the
// configuration may make one of the name.
var streamOnly = map[string]reader{
	"bytes_received":           ofResponse(bytesReceived),
	"protocol":                 protocol,
	"session_time":             ofResponse(requestTime),
	"upstream_first_byte_time": attempts(headerTime),
	"upstream_session_time":    attempts(responseTime),
}

// alsoStream are those that stream has like http.
var alsoStream = []string{
	"binary_remote_addr", "bytes_sent", "connection", "hostname", "msec", "nginx_version", "pid", "proxy_protocol_addr", "proxy_protocol_port",
	"proxy_protocol_server_addr", "proxy_protocol_server_port", "realip_remote_addr", "realip_remote_port", "remote_addr", "remote_port",
	"server_addr", "server_port", "status", "time_iso8601", "time_local", "upstream_addr", "upstream_bytes_received", "upstream_bytes_sent",
	"upstream_connect_time",
}

// KnownInStream is Known for what stands in stream.
func KnownInStream(name string) bool {
	name = strings.ToLower(name)
	return streamOnly[name] != nil || slices.Contains(alsoStream, name) ||
		strings.HasPrefix(name, "ssl_") && (Known(name) || strings.HasPrefix(name, "ssl_preread_"))
}

func bytesReceived(b []byte, rs *Response) []byte { return strconv.AppendInt(b, rs.Received, 10) }

func protocol(b []byte, _ Facts, _ string) ([]byte, bool) { return append(b, "TCP"...), true }
