package event

import "fmt"

// Kind says what an Event reports.
type Kind uint8

// The kinds, in the order in which one request usually meets them.
const (
	// RequestSent: the client began to send (Request).
	RequestSent Kind = iota + 1
	// AttemptStarted: the proxy picked a peer (Request, Try, Peer, Upstream, Cached, Worker).
	AttemptStarted
	// Connected: the proxy's connection to the peer stands (as AttemptStarted). It is
	// told of stream alone, where that is what counts as success.
	Connected
	// BackendGot: a backend read a whole request head (Request, Peer, Cached, Detail).
	BackendGot
	// BackendCut: a backend ends a connection, or lets it hang, without having read a
	// request on it that it would have got (Peer, Cached, Detail). It is told when that
	// is decided: at the accept, at the first byte of a TLS handshake or of a further request.
	BackendCut
	// AttemptEnded: the attempt is over (as AttemptStarted, and Outcome, Status).
	// For an attempt whose response was passed on this is the end of the whole
	// exchange, not the moment of the header.
	AttemptEnded
	// PeerMarked: a counted failure at or above max_fails, nginx's "upstream
	// server temporarily disabled" (as AttemptEnded). It repeats for a failed
	// probe and for a straggler.
	PeerMarked
	// NoLive: no peer was eligible, nginx's "no live upstreams" (Request, Upstream, Worker).
	NoLive
	// ProxyAnswered: the proxy is done with the request and would log Status,
	// 499 for a client that left (Request, Status, Worker).
	ProxyAnswered
	// ResponseEnded: the client has its whole answer, or knows it will not
	// (Request, Status, Outcome).
	ResponseEnded
	// FaultOn and FaultOff: a fault of a backend as a whole begins or ends (Peer, Detail).
	FaultOn
	FaultOff
	// Logged: a line of the proxy's error log, at warn and above, in nginx's wording:
	// "MESSAGE while ACTION", without the time, level and connection before it and the
	// client, server, request and upstream behind it (Detail, and Request, Try, Peer
	// where they are known).
	Logged
)

var kindNames = [...]string{
	RequestSent: "sent", AttemptStarted: "attempt", Connected: "connected", BackendGot: "got", BackendCut: "cut",
	AttemptEnded: "ended", PeerMarked: "marked", NoLive: "no_live",
	ProxyAnswered: "answered", ResponseEnded: "response",
	FaultOn: "fault_on", FaultOff: "fault_off", Logged: "log",
}

// String is the kind's name in events.jsonl.
func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// ParseKind is the inverse of String.
func ParseKind(s string) (Kind, error) {
	for k, n := range kindNames {
		if n == s && n != "" {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("unknown event kind %q", s)
}
