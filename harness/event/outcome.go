package event

import "fmt"

// Outcome says how an attempt, or a client's response, ended.
type Outcome uint8

// Outcomes of attempts. The first four are not failures of the header phase;
// the others are what nginx calls error, timeout, invalid_header or a listed
// status.
const (
	// Passed: a response header was accepted and its response passed on whole.
	Passed Outcome = iota + 1
	// Truncated: the header was passed on, then the body broke or timed out.
	// Also a client's view: fewer bytes than announced.
	Truncated
	// Aborted: the client left first, nginx's 499.
	Aborted
	// Relayed: a session of stream was connected, and lasted until one side ended it
	// or nothing passed for proxy_timeout; what it carried nobody knows.
	Relayed
	// Refused: connect() failed; nothing was sent.
	Refused
	// ConnectTimeout: proxy_connect_timeout passed; nothing was sent.
	ConnectTimeout
	// SendTimeout: proxy_send_timeout passed while sending the request.
	SendTimeout
	// ReadTimeout: proxy_read_timeout passed before the header was complete.
	ReadTimeout
	// Reset: the connection was reset before the header was complete.
	Reset
	// Closed: the backend closed before the header was complete. Also a
	// client's view: the connection closed without any status line.
	Closed
	// InvalidHeader: the header could not be parsed or was too big.
	InvalidHeader
	// Listed: a complete header whose status is listed in proxy_next_upstream,
	// so that the attempt was given up for the next peer (Status has it).
	Listed

	// ClientTimeout: the client's own time-out passed (ResponseEnded only).
	ClientTimeout
	// ClientRefused: the client could not connect to the proxy (ResponseEnded only).
	ClientRefused
)

var outcomeNames = [...]string{
	Passed: "passed", Truncated: "truncated", Aborted: "aborted", Relayed: "relayed",
	Refused: "refused", ConnectTimeout: "connect_timeout",
	SendTimeout: "send_timeout", ReadTimeout: "read_timeout",
	Reset: "reset", Closed: "closed", InvalidHeader: "invalid_header",
	Listed: "listed", ClientTimeout: "client_timeout", ClientRefused: "client_refused",
}

// String is the outcome's name in events.jsonl.
func (o Outcome) String() string {
	if o == 0 {
		return ""
	}
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// ParseOutcome is the inverse of String; the empty string is the zero value.
func ParseOutcome(s string) (Outcome, error) {
	if s == "" {
		return 0, nil
	}
	for o, n := range outcomeNames {
		if n == s {
			return Outcome(o), nil
		}
	}
	return 0, fmt.Errorf("unknown outcome %q", s)
}
