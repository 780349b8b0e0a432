// Package fault says what a backend does on the wire, as data: a short script
// of steps that sockets play and the simulator evaluates, and the rules that
// choose a script for an exchange. It never opens a socket and reads no clock.
package fault
