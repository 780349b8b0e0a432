package fault

import (
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// UpgradeSpec is `upgrade: {then, ...}`: the connection becomes another protocol's
// (101 Switching Protocols), a WebSocket by default.
type UpgradeSpec struct {
	// Then is what happens on it: "echo" (the default) sends back what comes, frame
	// by frame for a WebSocket, "stall" never says a word, and "cut" ends it.
	Then string `yaml:"then" jsonschema:"enum=echo,enum=stall,enum=cut"`
	// Lasts is how long it stands before it is cut; default no time at all.
	Lasts time.Duration `yaml:"lasts"`
	// With is how it is cut: "fin" (the default) or "reset".
	With string `yaml:"with" jsonschema:"enum=fin,enum=reset"`
	// Protocol that is spoken; default websocket.
	Protocol string `yaml:"protocol"`
	// Headers to add, in this order.
	Headers []Header `yaml:"headers"`
	// After is how long the backend works before it answers, from the end of the
	// request; also one that is drawn, as behind wait.
	After Latency `yaml:"after"`
}

// Scalar takes the short form: what happens on it.
func (s *UpgradeSpec) Scalar(text string) error {
	s.Then = text
	_, err := s.Fault()
	return err
}

// webSocket is the protocol whose echo knows frames.
const webSocket = "websocket"

// Fault returns the upgrade; the error names the field that is wrong.
func (s *UpgradeSpec) Fault() (Fault, error) {
	protocol := s.Protocol
	if protocol == "" {
		protocol = webSocket
	}
	end, err := ending(s.With)
	switch {
	case err != nil:
		return Fault{}, err
	case s.Then != "cut" && (s.Lasts != 0 || s.With != ""):
		return Fault{}, fmt.Errorf("then: only with cut it lasts, and ends with something")
	case !IsToken(strings.Replace(protocol, "/", "", 1)):
		return Fault{}, fmt.Errorf("protocol: %q is none", protocol)
	}
	if err := checkSpan("lasts", s.Lasts); err != nil {
		return Fault{}, err
	}
	if err := s.After.checkAs("after"); err != nil {
		return Fault{}, err
	}
	for _, h := range s.Headers {
		if err := h.validate(); err != nil {
			return Fault{}, fmt.Errorf("headers: %w", err)
		}
	}
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: %s\r\nConnection: Upgrade\r\n", protocol)
	writeHeaders(&head, s.Headers)
	head.WriteString("\r\n")
	sc := Script{
		Name: "upgrade", Response: Response{Status: 101, Head: []byte(head.String()), Announced: -1},
		WebSocket: strings.EqualFold(protocol, webSocket),
	}
	sc.Steps = append(s.After.wait([]Step{{Op: ReadAll}}), Step{Op: Write, Len: -1})
	switch s.Then {
	case "", "echo":
		sc.Steps = append(sc.Steps, Step{Op: Echo})
	case "stall":
		sc.Steps = append(sc.Steps, Step{Op: Stall})
	case "cut":
		sc.Steps = append(wait(sc.Steps, s.Lasts), Step{Op: end})
	default:
		return Fault{}, fmt.Errorf("then: %q is none of echo, stall, cut", s.Then)
	}
	return Fault{Script: sc}, nil
}

// accepting returns the head of a WebSocket's response with the answer to the
// client's key (RFC 6455, 4.2.2).
func accepting(head []byte, key string) []byte {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	line := "Sec-WebSocket-Accept: " + base64.StdEncoding.EncodeToString(sum[:]) + "\r\n\r\n"
	return append(head[:len(head)-2:len(head)-2], line...)
}
