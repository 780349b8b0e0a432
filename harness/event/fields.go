package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// field is one of the members of an event's object.
type field uint16

const (
	fieldAt field = 1 << iota
	fieldKind
	fieldRequest
	fieldTry
	fieldPeer
	fieldUpstream
	fieldOutcome
	fieldStatus
	fieldCached
	fieldWorker
	fieldOrder
	fieldDetail
)

func fieldOf(key string) field {
	switch key {
	case "at":
		return fieldAt
	case "kind":
		return fieldKind
	case "request":
		return fieldRequest
	case "try":
		return fieldTry
	case "peer":
		return fieldPeer
	case "upstream":
		return fieldUpstream
	case "outcome":
		return fieldOutcome
	case "status":
		return fieldStatus
	case "cached":
		return fieldCached
	case "worker":
		return fieldWorker
	case "order":
		return fieldOrder
	case "detail":
		return fieldDetail
	}
	return 0
}

// event reads one line. It goes through the tokens, because decoding into a
// struct would accept "AT" for "at" and the second of two equal keys.
func (d *Decoder) event(line []byte) (Event, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return Event{}, errors.New("not a JSON object")
	}
	var e Event
	var seen field
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return Event{}, syntax(err)
		}
		name, _ := key.(string)
		f := fieldOf(name)
		switch {
		case f == 0:
			return Event{}, fmt.Errorf("unknown field %q", name)
		case seen&f != 0:
			return Event{}, fmt.Errorf("field %q is there twice", name)
		}
		seen |= f
		value, err := dec.Token()
		if err != nil {
			return Event{}, syntax(err)
		}
		if err := d.set(&e, f, value); err != nil {
			return Event{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return Event{}, syntax(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Event{}, errors.New("something follows the event")
	}
	if seen&fieldAt == 0 || seen&fieldKind == 0 {
		return Event{}, errors.New(`"at" or "kind" is missing`)
	}
	return e, nil
}

func syntax(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the line breaks off")
	}
	return err
}

// set stores one value.
func (d *Decoder) set(e *Event, f field, value json.Token) (err error) {
	if f == fieldCached {
		v, ok := value.(bool)
		if !ok {
			return errors.New("want true or false")
		}
		e.Cached = v
		return nil
	}
	if number, ok := value.(json.Number); ok {
		switch f {
		case fieldAt:
			e.At, err = parseSeconds(string(number))
		case fieldTry:
			e.Try, err = parseCount(string(number))
		case fieldStatus:
			e.Status, err = parseCount(string(number))
		case fieldWorker:
			e.Worker, err = parseCount(string(number))
		case fieldOrder:
			e.Order, err = parseCount(string(number))
		default:
			err = errors.New("want a string")
		}
		return err
	}
	s, ok := value.(string)
	if !ok {
		return errors.New("want a string or a number")
	}
	switch f {
	case fieldKind:
		e.Kind, err = ParseKind(s)
	case fieldRequest:
		e.Request, err = ParseRequest(s)
		e.Request.Traffic = d.intern(e.Request.Traffic)
	case fieldPeer:
		e.Peer = d.intern(s)
	case fieldUpstream:
		e.Upstream = d.intern(s)
	case fieldOutcome:
		e.Outcome, err = ParseOutcome(s)
	case fieldDetail:
		e.Detail = s
	default:
		err = errors.New("want a number")
	}
	return err
}

// parseCount reads a whole number that isn't negative.
func parseCount(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is no whole number from 0", s)
	}
	return int(n), nil
}

// maxSeconds bounds `at`: what a time.Duration holds.
const maxSeconds = int64(1<<63-1) / int64(time.Second)

// parseSeconds reads a decimal number of seconds exactly; digits after the
// microseconds are dropped.
func parseSeconds(s string) (time.Duration, error) {
	text, negative := bytes.CutPrefix([]byte(s), []byte{'-'})
	whole, frac, _ := bytes.Cut(text, []byte{'.'})
	sec, err := strconv.ParseInt(string(whole), 10, 64)
	if bytes.ContainsAny(text, "eE") {
		return 0, fmt.Errorf("%s: write the seconds without an exponent", s)
	}
	if err != nil || sec >= maxSeconds {
		return 0, fmt.Errorf("%s is out of range", s)
	}
	var us int64
	for i := range 6 {
		us *= 10
		if i < len(frac) {
			us += int64(frac[i] - '0')
		}
	}
	d := time.Duration(sec)*time.Second + time.Duration(us)*time.Microsecond
	if negative {
		d = -d
	}
	return d, nil
}
