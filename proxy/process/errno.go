package process

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// numbered is a system error behind a text, as nginx writes it.
func numbered(err error) string {
	var no syscall.Errno
	if !errors.As(err, &no) {
		return " (" + err.Error() + ")"
	}
	words := no.Error()
	return fmt.Sprintf(" (%d: %s)", int(no), strings.ToUpper(words[:1])+words[1:])
}
