package nginxconf

import (
	"math"
	"strings"

	"github.com/nolive/nolive/proxy/upstream"
	"github.com/nolive/nolive/proxy/variable"
)

// settings is what one level (http, server, location, if) says about nginx's
// own answers and about what is added to any; nil is "nothing, inherit".
type settings struct {
	// errorPages hide all inherited ones, and so do headers.
	errorPages []errorPage
	headers    []addHeader
	recursive  *bool
	// body is client_max_body_size, the most that a request's body may have.
	body        *int64
	defaultType *string
	types       map[string]string
	// absolute is absolute_redirect, port port_in_redirect, name
	// server_name_in_redirect.
	absolute, port, name *bool
	clients              clientSettings
}

// addHeader is one add_header.
type addHeader struct {
	name   string
	value  variable.Template
	always bool
}

// defaultBody is client_max_body_size without the directive.
const defaultBody = 1 << 20

// defaultSettings are a version's of nginx.
func defaultSettings(v upstream.Version) settings {
	yes, no, body, plain := true, false, int64(defaultBody), "text/plain"
	return settings{
		recursive: &no, body: &body, defaultType: &plain, absolute: &yes, port: &yes, name: &no,
		types:   map[string]string{"html": "text/html", "gif": "image/gif", "jpg": "image/jpeg"},
		clients: defaultClientSettings(v),
	}
}

// unset are the settings of a location that was made by hand.
var unset = defaultSettings(upstream.Version{})

// over fills what the level leaves open from the level outside of it.
func (s settings) over(outer settings) settings {
	inherit(&s.recursive, outer.recursive)
	inherit(&s.body, outer.body)
	inherit(&s.defaultType, outer.defaultType)
	inherit(&s.absolute, outer.absolute)
	inherit(&s.port, outer.port)
	inherit(&s.name, outer.name)
	s.clients = s.clients.over(outer.clients)
	if s.errorPages == nil {
		s.errorPages = outer.errorPages
	}
	if s.headers == nil {
		s.headers = outer.headers
	}
	if s.types == nil {
		s.types = outer.types
	}
	return s
}

// settings collects the level's own directives.
func (in *interpreter) settings(ds []*Directive) settings {
	var s settings
	for _, d := range ds {
		if d.Broken || d.Block != nil && d.Name.Text != "types" {
			continue
		}
		switch d.Name.Text {
		case "error_page":
			s.errorPages = append(s.errorPages, in.errorPage(d)...)
		case "recursive_error_pages":
			s.recursive = onOff(d)
		case "add_header":
			s.headers = append(s.headers, in.addHeader(d)...)
		case "client_max_body_size":
			if n := size(d.Arg(0), "kmg"); n >= 0 {
				if n == 0 {
					n = math.MaxInt64
				}
				s.body = &n
			}
		case "default_type":
			t := d.Arg(0)
			s.defaultType = &t
		case "types":
			if s.types == nil {
				s.types = map[string]string{}
			}
			for _, c := range d.Children() {
				for _, ext := range c.Args {
					s.types[strings.ToLower(ext.Text)] = c.Name.Text
				}
			}
		case "absolute_redirect":
			s.absolute = onOff(d)
		case "port_in_redirect":
			s.port = onOff(d)
		case "server_name_in_redirect":
			s.name = onOff(d)
		default:
			s.clients.read(d)
		}
	}
	return s
}

// onOff is on or off; another value was complained about.
func onOff(d *Directive) *bool {
	on := strings.EqualFold(d.Arg(0), "on")
	return &on
}

// addHeader reads one add_header (ngx_http_headers_add). One without a value
// adds nothing, but hides the inherited ones all the same.
func (in *interpreter) addHeader(d *Directive) []addHeader {
	if len(d.Args) < 2 || len(d.Args) > 3 {
		return nil
	}
	h := addHeader{name: d.Arg(0)}
	if len(d.Args) == 3 {
		if d.Arg(2) != "always" {
			in.out.add(d.ArgPos(2), missingSemicolon(d), "invalid parameter \"%s\"", d.Arg(2))
			return nil
		}
		h.always = true
	}
	t, ok := in.template(d, 1, d.Arg(1))
	if !ok {
		return nil
	}
	h.value = t
	return []addHeader{h}
}

// safeStatus are the statuses that add_header is for without always
// (ngx_http_headers_filter).
func safeStatus(status int) bool {
	switch status {
	case 200, 201, 204, 206, 301, 302, 303, 304, 307, 308:
		return true
	}
	return false
}

// contentType is the type of a path by its extension (ngx_http_set_content_type).
func (s *settings) contentType(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	// A dot in front makes a hidden file, not an extension (ngx_http_set_exten).
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		if t, ok := s.types[strings.ToLower(name[i+1:])]; ok {
			return t
		}
	}
	return *s.defaultType
}

// template compiles an argument with variables and remembers the names in it;
// false, and a complaint, when it is none.
func (in *interpreter) template(d *Directive, i int, text string) (variable.Template, bool) {
	t, err := variable.Compile(text)
	if err != nil {
		in.out.add(d.ArgPos(i), missingSemicolon(d), "%s", err)
		return t, false
	}
	in.uses(d, i, t.Names())
	return t, true
}
