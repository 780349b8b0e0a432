package nginx

import (
	"context"
	"fmt"
	"time"
)

// origin is where scenario time 0 lies.
type origin struct {
	real   time.Time
	second int64 // of nginx's clock, since 1970; 0 before Align
	fit    fit
}

// lead is how far ahead of now the origin lies at least, in real time: enough
// for the caller to begin its clock and plan the first send.
const lead = 25 * time.Millisecond

// Align asks nginx what time it is and returns the real instant of one of its
// next whole seconds, at least 25 ms ahead: begin the run's clock there. All
// events count from it. At speed 1 that takes up to a second.
func (p *Process) Align(ctx context.Context) (time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := calibrate(ctx, &p.pinger, p.opts.Clock.Speed())
	if err != nil {
		return time.Time{}, err
	}
	s := f.nextSecond(time.Now(), lead)
	p.origin = origin{f.instant(float64(s) * 1000), s, f}
	p.off = f
	return p.origin.real, nil
}

// ClockError is how far nginx's clock and ours were apart at most, as far as
// measured, in scenario time: the uncertainty of Align, and from Close on also
// the drift since.
func (p *Process) ClockError() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.origin.real.IsZero() {
		return 0
	}
	return p.origin.fit.errorUntil(p.off)
}

// firstLook makes sure that nginx's clock runs at our speed: a static binary,
// or one for another machine, doesn't load libfaketime.
func (p *Process) firstLook(ctx context.Context) error {
	speed := p.opts.Clock.Speed()
	p.mu.Lock()
	defer p.mu.Unlock()
	a, err := p.pinger.ping(ctx)
	if err != nil {
		return err
	}
	p.origin.second = a.msec / 1000 // until Align
	if speed == 1 {
		return nil
	}
	if since := time.UnixMilli(a.msec).Sub(fakeEpoch); since < 0 || since > time.Duration(float64(2*startTimeout)*speed) {
		return &FaketimeError{Speed: speed, Reason: fmt.Sprintf("nginx doesn't load it, its clock shows %v", time.UnixMilli(a.msec).UTC().Format(time.DateTime))}
	}
	return nil
}

// measure calibrates once more and returns nginx's clock now, in milliseconds.
func (p *Process) measure(ctx context.Context) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := calibrate(ctx, &p.pinger, p.opts.Clock.Speed())
	if err != nil {
		return 0, err
	}
	p.off = f
	return int64(f.at(time.Now())), nil
}
