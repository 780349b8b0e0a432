// Package wire reads HTTP/1 as nginx reads it, byte by byte: what it takes for a
// status line, a header that is invalid or too long, a broken chunk. It never
// reads from anything itself: bytes come as arguments, in pieces of any size.
package wire
