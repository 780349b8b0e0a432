package variable

// headerIs compares a header's name with the part of a variable that names one:
// X-Real-IP is x_real_ip (ngx_http_variable_unknown_header).
func headerIs(header []byte, variable string) bool {
	if len(header) != len(variable) {
		return false
	}
	for i, c := range header {
		switch {
		case c == '-':
			c = '_'
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		}
		if c != variable[i] {
			return false
		}
	}
	return true
}

// lines is the value of the header lines of a name: the first, or all of them
// joined where nginx does that.
func (r *Request) lines(b []byte, h Header, name string) ([]byte, bool) {
	if r.Joins {
		return joined(b, h, name, ", ")
	}
	return r.first(b, h, name)
}

// first is the first line of a name.
func (r *Request) first(b []byte, h Header, name string) ([]byte, bool) {
	if h == nil {
		return b, false
	}
	for n, v := range h {
		if headerIs(n, name) {
			return append(b, v...), true
		}
	}
	return b, false
}

// httpHost is $http_host: a second line is refused, or passed over, before it gets
// there (ngx_http_process_host).
func httpHost(b []byte, f Facts, _ string) ([]byte, bool) {
	r := f.Request()
	return r.first(b, r.Header, "host")
}

// joined is all lines of a name, with something between them
// (ngx_http_variable_headers_internal).
func joined(b []byte, h Header, name, by string) ([]byte, bool) {
	if h == nil {
		return b, false
	}
	found := false
	for n, v := range h {
		if !headerIs(n, name) {
			continue
		}
		if found {
			b = append(b, by...)
		}
		b = append(b, v...)
		found = true
	}
	return b, found
}
