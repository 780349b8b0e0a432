package fault

import "fmt"

// Layer says where in a connection's life a fault acts. In each layer the first
// rule that matches decides, so rules of different layers don't hide each other.
type Layer uint8

// The layers.
const (
	// OnRequest answers a request, or fails to.
	OnRequest Layer = iota
	// OnDoor acts on the listener and on every connection.
	OnDoor
	// OnAccept acts on a connection before anything is read from it.
	OnAccept
	// OnWork says when the backend gets to work on a request.
	OnWork
	// OnKeep says how long the connection is kept after an exchange.
	OnKeep
	// OnReuse acts at the first byte of a further request on a connection.
	OnReuse
	// OnHandshake acts on a connection by TLS before anything is read from it.
	OnHandshake
	// OnCrowd says how many connections there are.
	OnCrowd

	// Layers is how many there are.
	Layers
)

// Layer is the layer at which the fault acts.
func (f *Fault) Layer() Layer {
	switch {
	case f.Door != Open:
		return OnDoor
	case f.AtAccept != 0 || f.AcceptEvery != 0:
		return OnAccept
	case f.Workers != nil:
		return OnWork
	case f.Keep != nil:
		return OnKeep
	case f.OnReuse != 0:
		return OnReuse
	case f.TLS != nil:
		return OnHandshake
	case f.Limit != nil:
		return OnCrowd
	}
	return OnRequest
}

// Name is what the fault does, as a scenario writes it.
func (f *Fault) Name() string {
	switch {
	case f.AtAccept == Close:
		return "close"
	case f.AtAccept == Reset:
		return "reset"
	case f.AtAccept == Stall:
		return "hang"
	}
	return f.name()
}

// name is what the fault is called where it can't stand.
func (f *Fault) name() string {
	switch f.Layer() {
	case OnDoor:
		return f.Door.String()
	case OnAccept:
		if f.AcceptEvery != 0 {
			return "slow_accept"
		}
		return "a cut at accept"
	case OnWork:
		return "workers"
	case OnKeep:
		return "keepalive"
	case OnReuse:
		return "close_on_reuse"
	case OnHandshake:
		return "tls"
	case OnCrowd:
		return "connections"
	}
	return f.Script.Name
}

// admits says why a selector of `when` can't be used in the layer.
func (f *Fault) admits(selector string) error {
	switch f.Layer() {
	case OnDoor:
		return fmt.Errorf("%s: %s acts on the backend as a whole, so only from and until can select it",
			selector, f.name())
	case OnAccept, OnHandshake:
		if selector != "connection" && selector != "share" {
			return fmt.Errorf("%s: %s comes before any request is read, "+
				"so only from, until, connection and share can select it", selector, f.name())
		}
	case OnCrowd:
		return fmt.Errorf("%s: connections holds for all of them, so nothing can select it", selector)
	case OnReuse:
		if selector != "connection" && selector != "exchange" && selector != "share" {
			return fmt.Errorf("%s: %s comes before the request is read, "+
				"so only from, until, connection, exchange and share can select it", selector, f.name())
		}
	}
	return nil
}

// PickIn returns what the first rule of the layer that matches does; nil for none.
func (rs Rules) PickIn(l Layer, x *Exchange) *Fault {
	for i := range rs {
		if r := &rs[i]; r.Do.Layer() == l && r.When.Matches(x, i) {
			x.Since = r.When.since(x.At)
			return &r.Do
		}
	}
	return nil
}
