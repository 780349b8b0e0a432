package fault

import "fmt"

// Part is how much of a request is read: all of it, which is the zero value, its
// head, or its head and some bytes of its body.
type Part struct {
	// Some is true for less than all; Bytes is then how much of the body.
	Some  bool
	Bytes Size
}

// UnmarshalText parses "all", "head" or a size.
func (p *Part) UnmarshalText(text []byte) error {
	switch string(text) {
	case "all":
		*p = Part{}
		return nil
	case "head":
		*p = Part{Some: true}
		return nil
	}
	var n Size
	if err := n.UnmarshalText(text); err != nil {
		return fmt.Errorf("%q is neither all, nor head, nor a size such as 10KiB", text)
	}
	*p = Part{Some: true, Bytes: n}
	return nil
}

// MarshalText is the inverse of UnmarshalText; it never fails.
func (p Part) MarshalText() ([]byte, error) {
	switch {
	case !p.Some:
		return []byte("all"), nil
	case p.Bytes == 0:
		return []byte("head"), nil
	}
	return p.Bytes.MarshalText()
}

// step is the reading.
func (p Part) step() Step {
	switch {
	case !p.Some:
		return Step{Op: ReadAll}
	case p.Bytes == 0:
		return Step{Op: ReadHead}
	}
	return Step{Op: ReadBody, Len: int64(p.Bytes)}
}
