package variable

import (
	"errors"
	"fmt"
	"strings"
)

// Format is a log_format, compiled: what a variable's value has that doesn't
// belong into a line is escaped. The zero value is an empty line.
type Format struct {
	parts  []part
	escape func(b []byte, from int) []byte
	none   string // stands for a variable that isn't there
}

// Combined is the text of nginx's default format.
const Combined = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`

// CompileFormat compiles the parameters of a log_format behind its name: perhaps
// escape=default, json or none, then texts that belong together
// (ngx_http_log_compile_format). Errors are in nginx's words.
func CompileFormat(parameters []string) (Format, error) {
	f := Format{escape: escapeDefault, none: "-"}
	if len(parameters) > 0 {
		if how, ok := strings.CutPrefix(parameters[0], "escape="); ok {
			switch how {
			case "default":
			case "json":
				f.escape, f.none = escapeJSON, ""
			case "none":
				f.escape, f.none = nil, ""
			default:
				return Format{}, fmt.Errorf("unknown log format escaping \"%s\"", how)
			}
			parameters = parameters[1:]
		}
	}
	for _, text := range parameters {
		if err := f.add(text); err != nil {
			return Format{}, err
		}
	}
	return f, nil
}

// add compiles one text. Here $1 is no capture but a variable of that name.
func (f *Format) add(rest string) error {
	for rest != "" {
		text, after, found := strings.Cut(rest, "$")
		if text != "" {
			f.parts = append(f.parts, part{text: text})
		}
		if !found {
			return nil
		}
		name, next, err := cutName(after)
		if errors.Is(err, errName) {
			return fmt.Errorf("invalid parameter \"$%s\"", after)
		}
		if err != nil {
			return err
		}
		f.parts = append(f.parts, variable(name))
		rest = next
	}
	return nil
}

// Names are the variables in the format, in lower case.
func (f *Format) Names() []string { return names(f.parts) }

// Append appends the line for a request, without its end.
func (f *Format) Append(b []byte, facts Facts) []byte {
	for i := range f.parts {
		p := &f.parts[i]
		if p.read == nil {
			b = append(b, p.text...)
			continue
		}
		from := len(b)
		out, ok := p.read(b, facts, p.name)
		switch {
		case !ok:
			b = append(out, f.none...)
		case f.escape != nil:
			b = f.escape(out, from)
		default:
			b = out
		}
	}
	return b
}
