package live

import (
	"errors"
	"os"

	"github.com/nolive/nolive/harness/answer"
	"github.com/nolive/nolive/harness/event"
)

// readAnswer reads the answer to a request with the method. What our own deadline
// ended is no answer.
func (c *conn) readAnswer(method string) answer.Answer {
	a := c.answers.Read(method, c.scratch[:cap(c.scratch)])
	if errors.Is(a.Err, os.ErrDeadlineExceeded) {
		a.Outcome = event.ClientTimeout
	}
	return a
}
