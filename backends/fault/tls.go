package fault

import (
	"fmt"
	"strings"
	"time"
)

// TLSSpec is `tls: {handshake, after}`: how a backend that is reached by https
// takes up a connection.
type TLSSpec struct {
	// Handshake is what becomes of it: "good" (the default), "hang" (never
	// answered), "close" or "reset" (cut), "refuse" (the backend takes no version
	// of the protocol that is offered), "plain" (it speaks no TLS), or "expired",
	// "wrong_name" or "untrusted" (good but for the certificate).
	Handshake string `yaml:"handshake" jsonschema:"enum=good,enum=hang,enum=close,enum=reset,enum=refuse,enum=plain,enum=expired,enum=wrong_name,enum=untrusted"`
	// After is how long the backend waits first, from the accept.
	After time.Duration `yaml:"after"`
}

// Scalar takes the short form: the handshake alone.
func (s *TLSSpec) Scalar(text string) error {
	s.Handshake = text
	_, err := s.Fault()
	return err
}

// Fault returns the handshake; the error names the field that is wrong.
func (s *TLSSpec) Fault() (Fault, error) {
	t := &TLS{After: s.After}
	if s.Handshake != "" {
		for h, name := range handshakeNames {
			if name == s.Handshake {
				t.Handshake = Handshake(h)
			}
		}
		if t.Handshake == GoodHandshake && s.Handshake != "good" {
			return Fault{}, fmt.Errorf("handshake: %q is none of %s", s.Handshake, strings.Join(handshakeNames[:], ", "))
		}
	}
	return Fault{TLS: t}, checkSpan("after", s.After)
}

// TLS is how a backend takes up a TLS connection.
type TLS struct {
	Handshake Handshake
	After     time.Duration
}

// Handshake is what becomes of a TLS handshake.
type Handshake uint8

// The handshakes. The last three are good for a proxy that doesn't verify, as
// nginx doesn't by default (proxy_ssl_verify off).
const (
	GoodHandshake Handshake = iota
	HungHandshake
	ClosedHandshake
	ResetHandshake
	RefusedHandshake
	PlainHandshake
	ExpiredCertificate
	WrongNameCertificate
	UntrustedCertificate
)

var handshakeNames = [...]string{"good", "hang", "close", "reset", "refuse", "plain", "expired", "wrong_name", "untrusted"}

// String is the handshake's name as a scenario writes it.
func (h Handshake) String() string { return handshakeNames[h] }

// Fails says whether no connection comes of the handshake, whoever connects.
func (h Handshake) Fails() bool { return h != GoodHandshake && h < ExpiredCertificate }
