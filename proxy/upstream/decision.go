package upstream

// Action is what a shell has to do next.
type Action uint8

// The actions.
const (
	// Try: start an attempt on Decision.Peer.
	Try Action = iota + 1
	// Pass: pass the response on to the client, then call End.
	Pass
	// Answer: answer the client with Decision.Status; the request is over.
	Answer
)

// Decision is one answer of the model.
type Decision struct {
	Action Action
	// Peer is the index in Config.Servers of the peer to try.
	Peer int
	// Conn is the idle connection to reuse, 0 for a new one.
	Conn ConnID
	// Status is the client's status: nginx's own error (Answer) or the
	// backend's (Pass). 499 when the client is gone.
	Status int
}
