// Package nginx runs a real nginx, on this machine or where a Host says, under the
// configuration under test and turns its logs into events. It never decides what nginx does,
// and it changes nothing of the configuration but addresses, logs and paths.
//
// nginx compares whole seconds of its own clock, so a run asks nginx itself
// what time it is (Align) and puts the origin of scenario time on one of its
// whole seconds. Above speed 1 libfaketime lets that clock, every timer and the
// logs run faster with the configuration untouched.
//
// The events come out at Close, in order: nginx writes a request down when it is over.
package nginx
