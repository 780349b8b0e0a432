// Package scenario loads the YAML that describes one incident: the proxy's
// configuration, what every backend does, who sends what, and what must hold.
// It reports every mistake of a file in one go and never runs anything.
package scenario
