package form

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/scenario/internal/bind"
)

// Word is text that may look like a number.
type Word string

// UnmarshalText takes the text as it is.
func (w *Word) UnmarshalText(text []byte) error {
	*w = Word(text)
	return nil
}

// mistake is an error with what was probably meant.
type mistake struct {
	error
	hint string
}

func (m mistake) Hint() string { return m.hint }

// Interval is a duration or a range of them.
type Interval struct{ Lo, Hi time.Duration }

// UnmarshalText parses "5s" or "2s..20s".
func (i *Interval) UnmarshalText(text []byte) error {
	lo, hi, ranged := strings.Cut(string(text), "..")
	var err error
	var hint string
	if i.Lo, hint, err = bind.Duration(strings.TrimSpace(lo)); err != nil {
		if hint != "" && ranged {
			hint += ".." + hi
		}
		return mistake{err, hint}
	}
	if i.Hi = i.Lo; !ranged {
		return nil
	}
	if i.Hi, hint, err = bind.Duration(strings.TrimSpace(hi)); err != nil {
		if hint != "" {
			hint = lo + ".." + hint
		}
		return mistake{err, hint}
	}
	if i.Hi < i.Lo {
		return mistake{fmt.Errorf("the range %s is empty", text), strings.TrimSpace(hi) + ".." + strings.TrimSpace(lo)}
	}
	return nil
}

// Rate is requests per second of scenario time.
type Rate float64

var rate = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*/\s*(s|m|h)$`)

// UnmarshalText parses "5/s", "30/m" or "100/h".
func (r *Rate) UnmarshalText(text []byte) error {
	m := rate.FindStringSubmatch(string(text))
	if m == nil {
		hint := ""
		if _, err := strconv.ParseFloat(string(text), 64); err == nil {
			hint = string(text) + "/s"
		} else if n, unit, ok := strings.Cut(string(text), "/"); ok && len(unit) > 1 && strings.ContainsAny(unit[:1], "smh") {
			hint = strings.TrimSpace(n) + "/" + unit[:1]
		}
		return mistake{fmt.Errorf("want a rate such as 5/s or 30/m, got %q", short(text)), hint}
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || math.IsInf(n, 0) {
		return fmt.Errorf("want a rate such as 5/s, got %q", short(text))
	}
	switch m[2] {
	case "m":
		n /= 60
	case "h":
		n /= 3600
	}
	if n <= 0 {
		return errors.New("a rate has to be more than 0")
	}
	if n > 1e5 {
		return fmt.Errorf("%s is more than 100000/s", text)
	}
	*r = Rate(n)
	return nil
}

// Request is a method and a path.
type Request struct{ Method, Path string }

var methods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "LOCK", "UNLOCK",
	"MKCOL", "COPY", "MOVE", "PROPFIND", "PROPPATCH"}

// UnmarshalText parses "GET /path": one of nginx's methods and a path with or
// without a query.
func (r *Request) UnmarshalText(text []byte) error {
	words := strings.Fields(string(text))
	if len(words) == 1 && strings.HasPrefix(words[0], "/") {
		return mistake{fmt.Errorf("want a method and a path, got %q", short(text)), "GET " + words[0]}
	}
	if len(words) != 2 {
		return mistake{fmt.Errorf("want a method and a path, got %q", short(text)), "GET /"}
	}
	method, path := words[0], words[1]
	known := false
	for _, m := range methods {
		known = known || m == method
	}
	if !known {
		hint := bind.Nearest(method, methods)
		if hint != "" {
			hint += " " + path
		}
		return mistake{fmt.Errorf("unknown method %q; there are %s", short([]byte(method)), strings.Join(methods, ", ")), hint}
	}
	if !strings.HasPrefix(path, "/") {
		return mistake{fmt.Errorf("the path %q doesn't start with /", short([]byte(path))), method + " /" + strings.TrimPrefix(path, "/")}
	}
	if i := strings.IndexFunc(path, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' }); i >= 0 {
		return fmt.Errorf("the path %q has a character that needs %%-encoding", short([]byte(path)))
	}
	r.Method, r.Path = method, path
	return nil
}

// Speed is scenario seconds per real second, 0 for auto.
type Speed float64

// UnmarshalText parses a number from 1 to 1000, or auto.
func (s *Speed) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*s = 0
		return nil
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(n >= 1 && n <= 1000) {
		return fmt.Errorf("want auto or a number from 1 to 1000, got %q", short(text))
	}
	*s = Speed(n)
	return nil
}

func short(text []byte) string {
	const most = 60
	if len(text) > most {
		return strings.ToValidUTF8(string(text[:most]), "") + "..."
	}
	return string(text)
}
