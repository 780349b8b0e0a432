package upstream

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

// inOrder sorts steps by time, with those of one request one after the other, and
// those that one worker's error log tells in the order of its lines. A stamp before
// that of the step which it follows is moved up to it, which is within its error. A
// line that would move one farther than within was taken for another's, and binds
// nobody.
func inOrder(steps []step, within time.Duration) []step {
	for i := range steps {
		if i > 0 && steps[i-1].request == steps[i].request {
			steps[i].at = max(steps[i].at, steps[i-1].at)
			steps[i].seq = max(steps[i].seq, steps[i-1].seq)
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
	})
	o := ordering{within: within, steps: steps, waits: make([]int, len(steps))}
	o.link()
	return o.sorted()
}

// ordering sorts steps that wait for others; it is a heap of those that don't.
type ordering struct {
	within time.Duration
	steps  []step // linked by their places here
	// followers are, by step, the next of its request and of its error log, -1 for none.
	followers [][2]int
	waits     []int // for how many steps each waits
	ready     []int
}

// The kinds of followers.
const (
	ofRequest = iota
	ofLog
)

func (o *ordering) link() {
	o.followers = make([][2]int, len(o.steps))
	last := map[int]int{}
	lines := map[int][]int{}
	for i := range o.steps {
		st := &o.steps[i]
		st.previous, st.following, st.behind = -1, -1, -1
		o.followers[i] = [2]int{-1, -1}
		if p, ok := last[st.request]; ok {
			o.followers[p][ofRequest] = i
			o.waits[i]++
		}
		last[st.request] = i
		if st.order > 0 {
			lines[st.arrival.Worker] = append(lines[st.arrival.Worker], i)
		}
	}
	for _, told := range lines {
		slices.SortStableFunc(told, func(a, b int) int { return cmp.Compare(o.steps[a].order, o.steps[b].order) })
		for k, i := range told[1:] {
			o.followers[told[k]][ofLog] = i
			o.steps[i].behind = told[k]
			o.waits[i]++
		}
	}
}

// sorted takes the earliest step that waits for nobody, again and again.
func (o *ordering) sorted() []step {
	place := make([]int, len(o.steps)) // of a step in what is returned
	out := make([]step, 0, len(o.steps))
	for i := range place {
		place[i] = -1
		if o.waits[i] == 0 {
			heap.Push(o, i)
		}
	}
	for len(out) < len(o.steps) {
		if len(o.ready) == 0 {
			o.untie(place)
		}
		i := heap.Pop(o).(int)
		st := o.steps[i]
		place[i] = len(out)
		if st.behind >= 0 {
			st.behind = place[st.behind]
		}
		out = append(out, st)
		for kind, f := range o.followers[i] {
			if f < 0 || kind == ofLog && o.steps[f].behind != i {
				continue
			}
			next := &o.steps[f]
			switch {
			case kind == ofRequest:
				next.at = max(next.at, st.at)
			case st.at-next.at > o.within:
				next.behind = -1
			default:
				next.at = max(next.at, st.at)
			}
			if o.waits[f]--; o.waits[f] == 0 {
				heap.Push(o, f)
			}
		}
	}
	last := map[int]int{}
	for i := range out {
		if p, ok := last[out[i].request]; ok {
			out[i].previous, out[p].following = p, i
		}
		last[out[i].request] = i
	}
	return out
}

// untie breaks a ring of steps that wait for each other, as lines taken for
// another's make it: of the earliest step that waits only for a line it does no
// longer.
func (o *ordering) untie(place []int) {
	for i := range o.steps {
		if place[i] < 0 && o.waits[i] == 1 && o.steps[i].behind >= 0 && place[o.steps[i].behind] < 0 {
			o.steps[i].behind = -1
			o.waits[i] = 0
			heap.Push(o, i)
			return
		}
	}
}

// Len is of heap.Interface, as is all that follows.
func (o *ordering) Len() int { return len(o.ready) }

func (o *ordering) Less(a, b int) bool {
	i, j := o.ready[a], o.ready[b]
	return cmp.Or(cmp.Compare(o.steps[i].at, o.steps[j].at), cmp.Compare(i, j)) < 0
}

func (o *ordering) Swap(a, b int) { o.ready[a], o.ready[b] = o.ready[b], o.ready[a] }

// Push is called by heap.Push.
func (o *ordering) Push(i any) { o.ready = append(o.ready, i.(int)) }

// Pop is called by heap.Pop.
func (o *ordering) Pop() any {
	i := o.ready[len(o.ready)-1]
	o.ready = o.ready[:len(o.ready)-1]
	return i
}
