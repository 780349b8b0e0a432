package fault

import (
	"fmt"
	"strconv"
)

// WorkersSpec is `workers: {count, queue, full}`: how many requests the backend
// works on at the same time. More wait in a queue, so that a slow backend gets
// slower under load. A worker is busy with a request from its end to the last
// step of its answer, also when whoever asked has left meanwhile.
type WorkersSpec struct {
	// Count of workers, at least 1.
	Count int `yaml:"count"`
	// Queue is how many requests may wait, "any" (the default) or a number.
	Queue Room `yaml:"queue"`
	// Full is what a request meets for which there is no room: a status (503 is the
	// default), "close" or "reset".
	Full Refusal `yaml:"full"`
}

// Refusal is how a request is refused: "close", "reset" or a status.
type Refusal string

// UnmarshalText takes the text; Fault checks it.
func (r *Refusal) UnmarshalText(text []byte) error {
	*r = Refusal(text)
	return nil
}

// MarshalText is the inverse of UnmarshalText; it never fails.
func (r Refusal) MarshalText() ([]byte, error) { return []byte(r), nil }

// Room is how many there is room for; the zero value is any number.
type Room struct {
	Limited bool
	N       int
}

// UnmarshalText parses "any" or a number from 0.
func (r *Room) UnmarshalText(text []byte) error {
	if string(text) == "any" {
		*r = Room{}
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 {
		return fmt.Errorf("%q is neither any nor a number from 0", text)
	}
	*r = Room{true, n}
	return nil
}

// MarshalText is the inverse of UnmarshalText; it never fails.
func (r Room) MarshalText() ([]byte, error) {
	if !r.Limited {
		return []byte("any"), nil
	}
	return strconv.AppendInt(nil, int64(r.N), 10), nil
}

// Scalar takes the short form: the count alone.
func (s *WorkersSpec) Scalar(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("workers: %q is no number from 1", text)
	}
	s.Count = n
	return nil
}

// maxWorkers bounds the memory of a pool.
const maxWorkers = 1 << 16

// Fault returns the limit; the error names the field that is wrong.
func (s *WorkersSpec) Fault() (Fault, error) {
	if s.Count < 1 || s.Count > maxWorkers {
		return Fault{}, fmt.Errorf("count: %d is not in 1..%d", s.Count, maxWorkers)
	}
	var full Spec
	switch s.Full {
	case "":
		full = &StatusSpec{Code: 503}
	case "close":
		full = &CloseSpec{}
	case "reset":
		full = &ResetSpec{}
	default:
		n, err := strconv.Atoi(string(s.Full))
		if err != nil || n < 200 || n > 599 {
			return Fault{}, fmt.Errorf("full: %q is none of close, reset and a status in 200..599", s.Full)
		}
		full = &StatusSpec{Code: n}
	}
	f, err := full.Fault()
	if err != nil {
		return Fault{}, err
	}
	f.Script.Name = "workers: full"
	return Fault{Workers: &Workers{Count: s.Count, Queue: s.Queue, Full: f.Script}}, nil
}

// Workers says how many requests a backend works on at the same time.
type Workers struct {
	Count int
	Queue Room
	// Full is played for a request that finds no room.
	Full Script
}
