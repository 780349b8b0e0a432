package catalogue_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/scenarios/catalogue"
)

// rules are what an example means.
func rules(t *testing.T, e catalogue.Entry) fault.Rules {
	t.Helper()
	f, problems := scenario.Parse("catalogue.yaml", []byte(catalogue.Scenario([]catalogue.Entry{e})), nil)
	if err := problems.Err(); err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	for _, b := range f.Scenarios[0].Backends {
		if b.Name == e.Name+"-a" {
			return b.Rules
		}
	}
	t.Fatalf("%s: no backend", e.Name)
	return nil
}

// view is what a client sees of an exchange: pieces, and how it ends, "" while
// the connection stays open.
type view struct {
	bytes  string
	end    string
	sights []fault.Sight // evaluated, instants counted from the request
}

const quiet = 150 * time.Millisecond

// evaluate says what a plain client sees of the n-th request on a connection,
// from the instant on at which it was sent.
func evaluate(rs fault.Rules, method string, body int64, n int, sent time.Duration) view {
	x := exchange(method, body, n)
	x.At = sent
	awake := func(t time.Duration) (time.Duration, bool) { return t, true }
	if f := rs.PickAtAccept(x); f != nil && f.AtAccept != 0 {
		return view{end: word(f.AtAccept), sights: []fault.Sight{{At: f.AcceptAfter, End: f.AtAccept}}}
	}
	if n > 1 {
		if f := rs.PickIn(fault.OnReuse, x); f != nil {
			return view{end: word(f.OnReuse)}
		}
	}
	sc, _ := new(fault.State).Answer(rs, x, awake)
	v := view{sights: sc.Timeline(nil, 0, awake)}
	if f := rs.PickAtAccept(x); f != nil && n == 1 {
		for i := range v.sights {
			v.sights[i].At += f.AcceptEvery
		}
	}
	if k := len(v.sights); k > 0 {
		v.bytes = string(sc.Response.Append(nil, 0, v.sights[k-1].Bytes))
		v.end = word(v.sights[k-1].End)
	}
	return v
}

// exchange is the n-th request on the first connection.
func exchange(method string, body int64, n int) *fault.Exchange {
	return &fault.Exchange{Method: method, Path: "/", Body: body, Request: n, Connection: 1, Exchange: n,
		Length: func(step int) float64 {
			return fault.DrawLength(0, "app1", step, fmt.Sprintf("request %d", n))
		}}
}

func word(end fault.Op) string {
	switch end {
	case fault.Close:
		return "fin"
	case fault.Reset:
		return "rst"
	}
	return ""
}

// see reads until so many bytes are there and nothing more comes, and stamps
// when each of the sights' bytes had come.
func see(c net.Conn, want view, since time.Time) (got view, at []time.Duration) {
	buf := make([]byte, 64<<10)
	for {
		wait := 20 * time.Second
		if want.end == "" && len(got.bytes) >= len(want.bytes) {
			wait = quiet
		}
		c.SetReadDeadline(time.Now().Add(wait))
		n, err := c.Read(buf)
		got.bytes += string(buf[:n])
		now := time.Since(since)
		for len(at) < len(want.sights) {
			s := want.sights[len(at)]
			if s.End == 0 && int64(len(got.bytes)) < s.Bytes || s.End != 0 && err == nil {
				break
			}
			at = append(at, now)
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, syscall.ECONNRESET):
			got.end = "rst"
		case errors.Is(err, os.ErrDeadlineExceeded):
		default:
			got.end = "fin"
		}
		return got, at
	}
}

// What a backend plays is what the simulator evaluates: the same bytes, the same
// end, and at the same instants but for the lateness that the run measured.
func TestWhatIsPlayedIsWhatIsEvaluated(t *testing.T) {
	for _, e := range catalogue.Entries() {
		rs := rules(t, e)
		if len(rs.DoorChanges()) > 1 || rs.Door(0) != fault.Open {
			continue // no exchange by itself
		}
		if _, _, b := rs.Pick(exchange("GET", 0, 1)).Script.Split(); b != nil {
			continue // it takes others to meet it
		}
		if rs.Pick(exchange("GET", 0, 1)).Script.Endless > 0 {
			continue // it takes hours
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			var complaint string
			for range 5 {
				if complaint = play(t, e, rs); complaint == "" {
					return
				}
			}
			t.Error(complaint)
		})
	}
}

// play plays two requests on one connection; a complaint is about time only,
// which a busy machine may spoil.
func play(t *testing.T, e catalogue.Entry, rs fault.Rules) string {
	clk := clock.New(1)
	clk.Begin(time.Now())
	s, err := backends.Start(backends.Options{Name: "app1", Rules: rs, Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	method, body := e.Request()
	request := method + " /" + e.Name + " HTTP/1.1\r\nHost: a\r\n"
	if body > 0 {
		request += fmt.Sprintf("Content-Length: %d\r\n", body)
	}
	request += "\r\n" + strings.Repeat("x", body)
	begun := time.Now()
	c, err := net.DialTimeout("tcp", s.Addr(), 20*time.Second)
	if errors.Is(err, syscall.ECONNRESET) && strings.HasPrefix(e.Name, "reset-accept") {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for n := 1; n <= 2; n++ {
		want := evaluate(rs, method, int64(body), n, clk.Now())
		sent := time.Now()
		if n == 1 && strings.Contains(e.Name, "accept") {
			sent = begun
		}
		_, werr := c.Write([]byte(request))
		got, at := see(c, want, sent)
		if errors.Is(werr, syscall.ECONNRESET) || errors.Is(werr, syscall.EPIPE) {
			got.end = "rst" // the kernel tells of it only once
		}
		if got.bytes != want.bytes || got.end != want.end {
			t.Fatalf("request %d: played %d bytes and %q, evaluated %d and %q\n%.300q\n%.300q",
				n, len(got.bytes), got.end, len(want.bytes), want.end, got.bytes, want.bytes)
		}
		for i, s := range want.sights {
			if i < len(at) && s.End != fault.Stall {
				late := at[i] - s.At
				if late < -time.Millisecond {
					t.Fatalf("request %d: %v came at %v", n, s, at[i])
				}
				if most := 10*time.Millisecond + 2*clk.Lateness().Jitter(clock.Wait).Max; late > most {
					return fmt.Sprintf("request %d: %v came at %v, later than the %v that this run allows", n, s, at[i], most)
				}
			}
		}
		if want.end != "" || want.bytes == "" {
			break
		}
		if k := len(want.sights); k == 0 || want.sights[k-1].Bytes < whole(rs, method, int64(body), n) {
			break
		}
	}
	return ""
}

// whole is the number of bytes at which the n-th response is complete, a huge
// one when it never is.
func whole(rs fault.Rules, method string, body int64, n int) int64 {
	sc := rs.Pick(exchange(method, body, n)).Script
	if !sc.Keeps() || sc.Response.End() > sc.Response.Size() {
		return 1 << 62
	}
	return sc.Response.End()
}
