package client

import "strings"

// List is the answer of GET /backends.
type List struct {
	// Now is the present time in seconds since the backends began; every other
	// time counts from there too.
	Now      float64   `json:"now"`
	Backends []Backend `json:"backends"`
}

// Backend is a running backend and the rules in force.
type Backend struct {
	Name string `json:"name"`
	// Address is where it listens.
	Address string `json:"address"`
	// Rules are as they were written; "" for none.
	Rules string `json:"rules"`
	// Version numbers the sets of rules of this backend from 1, its first.
	Version int `json:"version"`
	// Since is when the rules were given; Until when they revert, 0 for never.
	Since float64 `json:"since"`
	Until float64 `json:"until,omitempty"`
	// Connections were accepted, Open of them are open; Requests were read.
	Connections int `json:"connections"`
	Open        int `json:"open"`
	Requests    int `json:"requests"`
	// Used counts, rule by rule, what each decided since the rules were given;
	// Unmatched are the requests that none took.
	Used      []int64 `json:"used"`
	Unmatched int64   `json:"unmatched"`
}

// Entry is one line of a backend's log.
type Entry struct {
	// N numbers the entries from 1. Lost is how many before this one are gone
	// because nobody read them in time.
	N    int     `json:"n"`
	Lost int     `json:"lost,omitempty"`
	At   float64 `json:"at"`
	// What happened: "connection", "request", "handshake", "reuse", "replace",
	// "reset", "revert", "fault_on" or "fault_off".
	What string `json:"what"`
	// Version of the rules that decided or came into force, the place of the rule
	// among them from 1, 0 for none, and what it does.
	Version int    `json:"version"`
	Rule    int    `json:"rule,omitempty"`
	Fault   string `json:"fault,omitempty"`
	// Numbers of the connection and of the request on this backend, and of the
	// request on its connection, all from 1.
	Connection int `json:"connection,omitempty"`
	Request    int `json:"request,omitempty"`
	Exchange   int `json:"exchange,omitempty"`
	// Method and Path of the request, and the X-Nolive-Request that it had.
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	ID     string `json:"id,omitempty"`
}

// Problem is one mistake in rules that were refused.
type Problem struct {
	// Line and Col are the place in the text that was given, from 1.
	Line int    `json:"line"`
	Col  int    `json:"col"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// RefusedError is why a call was refused; nothing has changed.
type RefusedError struct {
	// Status is the HTTP status of the answer.
	Status int `json:"-"`
	// Message says it in words, for mistakes one a line as
	// "rules:line:col: what is wrong (did you mean ...?)".
	Message  string    `json:"error"`
	Problems []Problem `json:"problems,omitempty"`
}

func (e *RefusedError) Error() string { return strings.TrimSpace(e.Message) }
