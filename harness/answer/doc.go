// Package answer is what a client of HTTP makes of the bytes that come on its
// connection: whole, broken off, or no HTTP at all. It never opens a connection and
// knows no time, so that a simulated client judges as one on sockets does.
package answer
