package container

import "github.com/moby/moby/api/types/container"

// shares is how much a container weighs among processes, of which each has 1024 that
// is in no control group.
const shares = 64 * 1024

// weigh lets nginx in a container run when it wants to, as a process would: it hardly
// wants to, but at once. Where systemd makes the control groups, containers and those
// who start them are in groups of equal weight. Where the engine makes them, as in
// build machines, all containers together weigh as much as one process that is in no
// group, and beside a compiler nginx may be a second late with a request, of which
// nobody else sees anything.
func (e *engine) weigh(r *container.Resources) {
	if !e.cgroupfs {
		return
	}
	r.CgroupParent, r.CPUShares = "/", shares
}
