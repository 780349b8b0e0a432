// Package container runs the real nginx in Docker containers: another Host for
// package nginx, which prepares, reads the logs and tells the events as for a
// process. It knows nothing of scenarios and never changes an image.
//
// One container serves many runs, which changes nothing for them. Its first
// process is an nginx that listens nowhere and only keeps it alive; each run
// gets a master of its own beside it (docker exec), with its own prefix, ports,
// worker processes and shared memory zones, which nginx makes anew for each
// master, and its own clock, which libfaketime keys by the master's pid. What
// runs share is the file system of the image, which nobody writes to, and the
// machine, as processes do. On a bridge a container's ports are fixed when it is
// made, so there each run has a container of its own.
package container
