package live

import "golang.org/x/sys/unix"

// processors are those that this process may run on.
type processors struct {
	numbers []int
	at      int
}

func newProcessors() *processors {
	var may unix.CPUSet
	p := &processors{}
	if unix.SchedGetaffinity(0, &may) != nil {
		return p // a kernel that doesn't tell: beats are where they are
	}
	for n := range len(may) * 64 {
		if may.IsSet(n) {
			p.numbers = append(p.numbers, n)
		}
	}
	return p
}

// next moves the calling thread to the next processor. It comes back when that one
// runs it.
func (p *processors) next() {
	if len(p.numbers) < 2 {
		return
	}
	var only unix.CPUSet
	only.Set(p.numbers[p.at])
	p.at = (p.at + 1) % len(p.numbers)
	_ = unix.SchedSetaffinity(0, &only) // one that was taken away meanwhile
}
