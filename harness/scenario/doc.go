// Package scenario loads the YAML that describes one incident: the proxy's
// configuration, what every backend does, who sends what, and what must hold.
// It reports every mistake of a file in one go and never runs anything.
//
// A variant gives only what differs and inherits the rest. It is laid over the
// base scenario by one rule: mappings merge key by key, at every depth; anything
// else (text, a number, a list) replaces what was there; null drops the key. So
// the rules of one backend, a list, are replaced as a whole, a traffic keeps the
// fields that aren't named, expect is replaced, and "traffic: {x: null}" takes x
// away. What is new comes after what is inherited.
//
// The lateness that a scenario bears is its jitter if it gives one. Otherwise it
// is a second, nginx's own unit of time, or half the width of the narrowest range
// of time that it expects, if that is less: "60s ±250ms" bears 250 ms.
package scenario
