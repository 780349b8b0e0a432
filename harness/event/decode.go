package event

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine is how long a line may be; the header holds a whole scenario.
const maxLine = 64 << 20

// Decoder reads what Encoder wrote. It is strict: an unknown or repeated field,
// a wrong type, a value that no event can have, or an empty line is an error,
// which tells the line.
type Decoder struct {
	r       *bufio.Reader
	line    int
	long    []byte // a line longer than the reader's buffer
	header  Header
	started bool
	err     error
	names   map[string]string
}

// NewDecoder returns a decoder that reads from r, which it buffers.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{r: bufio.NewReaderSize(r, 64<<10), names: make(map[string]string)}
}

// Header returns the first line.
func (d *Decoder) Header() (Header, error) {
	if !d.started {
		d.started = true
		d.header, d.err = d.readHeader()
	}
	if d.header.Version == 0 {
		return Header{}, d.err
	}
	return d.header, nil
}

// Next returns the next event, io.EOF at the end. After an error every call
// returns it.
func (d *Decoder) Next() (Event, error) {
	if _, err := d.Header(); err != nil {
		return Event{}, err
	}
	if d.err != nil {
		return Event{}, d.err
	}
	var e Event
	line, err := d.readLine()
	if err == nil {
		e, err = d.event(line)
	}
	if err == nil {
		return e, nil
	}
	if !errors.Is(err, io.EOF) {
		err = fmt.Errorf("line %d: %w", d.line, err)
	}
	d.err = err
	return Event{}, err
}

func (d *Decoder) readHeader() (Header, error) {
	line, err := d.readLine()
	if errors.Is(err, io.EOF) {
		return Header{}, errors.New("the log is empty")
	}
	if err != nil {
		return Header{}, fmt.Errorf("line 1: %w", err)
	}
	var version struct {
		Nolive int `json:"nolive"`
	}
	if json.Unmarshal(line, &version) != nil || version.Nolive == 0 {
		return Header{}, errors.New(`line 1: not a log of nolive: want {"nolive":1, ...}`)
	}
	if version.Nolive != Version {
		return Header{}, fmt.Errorf("line 1: log format %d: this program reads format %d", version.Nolive, Version)
	}
	var h Header
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&h); err != nil {
		return Header{}, fmt.Errorf("line 1: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return h, nil
}

// readLine returns the next line without its end; it is valid until the next call.
func (d *Decoder) readLine() ([]byte, error) {
	d.line++
	d.long = d.long[:0]
	for {
		part, err := d.r.ReadSlice('\n')
		switch {
		case err == nil && len(d.long) == 0:
			return part[:len(part)-1], nil
		case err == nil || errors.Is(err, io.EOF) && len(d.long)+len(part) > 0:
			return bytes.TrimSuffix(append(d.long, part...), []byte{'\n'}), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(d.long) > maxLine:
			return nil, fmt.Errorf("longer than %d MiB", maxLine>>20)
		}
		d.long = append(d.long, part...)
	}
}

// intern keeps one copy of the few names that a log repeats on every line. The
// names of backends, upstreams and traffics are as many as the scenario's; a
// log that has very many is not one of ours and gets a copy each.
func (d *Decoder) intern(s string) string {
	if known, ok := d.names[s]; ok {
		return known
	}
	if len(d.names) < 4096 {
		d.names[s] = s
	}
	return s
}
