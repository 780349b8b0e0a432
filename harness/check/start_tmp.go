package check

import (
	"github.com/nolive/nolive/harness/analysis"
	"github.com/nolive/nolive/harness/event"
)

type undecided struct{ c Check }

func (undecided) Exchange(*analysis.Exchange) {}
func (undecided) Mark(analysis.Mark)          {}
func (undecided) Stretch(analysis.Stretch)    {}
func (undecided) Log(event.Event)             {}
func (u undecided) Verdict(Run) Verdict {
	return Verdict{Check: u.c.String(), Kind: u.c.Kind(), Got: "not judged yet"}
}

func (c Attempts) Start() Judge { return undecided{c} }

func (c Duplicates) Start() Judge { return undecided{c} }

func (c FanOut) Start() Judge { return undecided{c} }

func (c InRotation) Start() Judge { return undecided{c} }

func (c Latency) Start() Judge { return undecided{c} }

func (c Log) Start() Judge { return undecided{c} }

func (c Marked) Start() Judge { return undecided{c} }

func (c Out) Start() Judge { return undecided{c} }

func (c Reused) Start() Judge { return undecided{c} }

func (c Sequence) Start() Judge { return undecided{c} }

func (c Share) Start() Judge { return undecided{c} }

func (c Slow) Start() Judge { return undecided{c} }

func (c Status) Start() Judge { return undecided{c} }

func (c Truncated) Start() Judge { return undecided{c} }
