package event

import (
	"fmt"
	"strconv"
	"strings"
)

// String is "traffic/n".
func (r Request) String() string {
	if r == (Request{}) {
		return ""
	}
	return r.Traffic + "/" + strconv.Itoa(r.N)
}

// ParseRequest is the inverse of String; the empty string is the zero value.
func ParseRequest(s string) (Request, error) {
	if s == "" {
		return Request{}, nil
	}
	i := strings.LastIndexByte(s, '/')
	if i > 0 {
		if n, err := strconv.Atoi(s[i+1:]); err == nil && n > 0 {
			return Request{Traffic: s[:i], N: n}, nil
		}
	}
	return Request{}, fmt.Errorf("request %q is not of the form traffic/n", s)
}
