// Package analysis derives from a run's events what people ask about: whole
// exchanges, marks, and the stretches in which a peer was out of rotation. It
// works on a stream, in memory that doesn't grow with the run, and never judges.
package analysis
