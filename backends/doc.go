// Package backends plays fault scripts on real sockets: a Server is one fake
// backend that reads requests, and answers, stalls, closes or resets as its
// rules say at the instants of scenario time. It never decides what a fault
// means; package fault does, and the simulator evaluates the same scripts.
//
// The doors need Linux: a port that refuses stays bound, one that drops SYNs
// has a full accept queue, and one that is frozen is simply not accepted from.
package backends
