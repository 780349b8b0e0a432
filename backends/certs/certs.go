// Package certs makes the certificates of fake backends in memory: an authority
// of its own for each run, and from it good certificates and wrong ones. It never
// writes a file.
package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"time"
)

// File is the name under which a proxy under test finds the authority's
// certificate, as in `proxy_ssl_trusted_certificate nolive-ca.pem`.
const File = "nolive-ca.pem"

// Authority signs certificates.
type Authority struct {
	key *ecdsa.PrivateKey
	// der is its own certificate.
	der []byte
}

// NewAuthority makes an authority.
func NewAuthority() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &Authority{key: key}
	a.der, err = x509.CreateCertificate(rand.Reader, authority(), authority(), key.Public(), key)
	return a, err
}

// The spans of certificates are wide: a proxy's clock may be years off, as
// libfaketime sets it.
var (
	longAgo   = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	yesterday = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	farAhead  = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
)

func authority() *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nolive test authority"},
		NotBefore: longAgo, NotAfter: farAhead,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
}

// PEM is the authority's certificate, for who is to trust it.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.der})
}

// Set is the certificates of one backend. All are for the same names.
type Set struct {
	Good, Expired, WrongName, Untrusted Pair
}

// Pair is a certificate and its key, as they can be sent to another process.
type Pair struct{ Certificate, Key []byte }

// TLS is the pair as package tls takes it.
func (p Pair) TLS() (tls.Certificate, error) {
	key, err := x509.ParsePKCS8PrivateKey(p.Key)
	return tls.Certificate{Certificate: [][]byte{p.Certificate}, PrivateKey: key}, err
}

// Issue makes the certificates of a backend that proxies know by these names.
func (a *Authority) Issue(names []string) (*Set, error) {
	stranger, err := NewAuthority()
	if err != nil {
		return nil, err
	}
	var s Set
	for _, x := range []struct {
		into  *Pair
		by    *Authority
		names []string
		until time.Time
	}{
		{&s.Good, a, names, farAhead},
		{&s.Expired, a, names, yesterday},
		{&s.WrongName, a, []string{"wrong.invalid"}, farAhead},
		{&s.Untrusted, stranger, names, farAhead},
	} {
		if *x.into, err = x.by.issue(x.names, x.until); err != nil {
			return nil, err
		}
	}
	return &s, nil
}

func (a *Authority) issue(names []string, until time.Time) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return Pair{}, err
	}
	leaf := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: names[0]}, DNSNames: names,
		NotBefore: longAgo, NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, authority(), key.Public(), a.key)
	if err != nil {
		return Pair{}, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	return Pair{der, private}, err
}
