package scenario

import (
	"fmt"
	"reflect"

	"github.com/nolive/nolive/harness/check"
)

// ownStatus are statuses of nginx's that it writes into its access log and sends to
// nobody (ngx_http_special_response_handler), and what the client sees instead.
var ownStatus = map[check.Answer]struct {
	why  string
	seen check.Answer
}{
	"444": {"with which nginx closes the connection", check.AnswerClosed},
	"499": {"which nginx logs of a client that left", check.AnswerClientTimeout},
}

// unseen warns of a status that no client ever sees, so that `is: 0%` holds of it
// whatever happens.
func (e *expectation) unseen() {
	v := reflect.ValueOf(e.def).Elem()
	for i := range v.NumField() {
		switch x := v.Field(i).Interface().(type) {
		case check.Answer:
			e.unseenAt(keyOf(v.Type().Field(i)), x)
		case []check.Answer:
			for _, a := range x {
				e.unseenAt(keyOf(v.Type().Field(i)), a)
			}
		}
	}
}

func (e *expectation) unseenAt(key string, a check.Answer) {
	own, ok := ownStatus[a]
	if !ok || e.answers(a) {
		return
	}
	at := e.at(key)
	e.warn(Problem{Pos: e.pos(at.Line, at.Column), Hint: fmt.Sprintf("%s is what the client sees", own.seen),
		Text: fmt.Sprintf("%s: %s: no client sees %s, %s", e.kind, key, a, own.why)})
}

// answers says whether a backend answers with a status.
func (e *expectation) answers(a check.Answer) bool {
	for i := range e.s.Backends {
		for _, r := range e.s.Backends[i].Rules {
			if fmt.Sprint(r.Do.Script.Response.Status) == string(a) {
				return true
			}
		}
	}
	return false
}
