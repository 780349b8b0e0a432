package backends_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/clock"
	"github.com/nolive/nolive/harness/event"
)

// eventually waits until ok holds, or fails the test.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestHangLastsUntilSomebodyCloses(t *testing.T) {
	rec := &record{}
	s := start(t, backends.Options{Rules: always(t, &fault.HangSpec{}), Sink: rec})
	c, other := dial(t, s.Addr()), dial(t, s.Addr())
	send(t, c, get)
	send(t, other, get)
	c.SetDeadline(time.Now().Add(100 * time.Millisecond))
	if got, how := rest(c); got != "" || how != "timeout" {
		t.Errorf("got %q and %s, want nothing", got, how)
	}
	if n := len(rec.of(event.BackendGot)); n != 2 {
		t.Errorf("%d requests were read, want 2", n)
	}
	// The half-close of one client counts as its end.
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the closed connection", func() bool { return s.Connections() == 1 })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, how := rest(other); got != "" || how != "fin" {
		t.Errorf("at Close: got %q and %s, want fin", got, how)
	}
}

// Whatever the script waits for, a client that leaves ends the exchange.
func TestClientThatLeavesEndsTheExchange(t *testing.T) {
	hour := fault.RespondSpec{After: fault.For(time.Hour)}
	for name, spec := range map[string]fault.Spec{
		"answer": &hour,
		"drip":   &fault.DripSpec{Every: time.Hour},
		"pause":  &fault.ResetSpec{CutSpec: fault.CutSpec{At: "body", Pause: time.Hour}},
		"accept": &fault.CloseSpec{CutSpec: fault.CutSpec{At: "accept", RespondSpec: hour}},
		"write":  &fault.RespondSpec{Size: 1 << 30},
	} {
		s := start(t, backends.Options{Rules: always(t, spec)})
		c := dial(t, s.Addr())
		send(t, c, get+get) // with more in the pipe
		eventually(t, "the connection", func() bool { return s.Connections() == 1 })
		c.Close()
		eventually(t, name+": the connection's end", func() bool { return s.Connections() == 0 })
	}
}

func TestPipelinedRequestsAreKeptWhileTheScriptWaits(t *testing.T) {
	s := start(t, backends.Options{Rules: always(t, &fault.RespondSpec{After: fault.For(20 * time.Millisecond)})})
	c := dial(t, s.Addr())
	send(t, c, strings.Repeat(get, 3))
	r := bufio.NewReader(c)
	for range 3 {
		answer(t, r)
	}
}

func TestNumbersAndSharesSelect(t *testing.T) {
	status := func(w fault.When, code int) fault.Rule {
		return fault.Rule{When: w, Do: meaning(t, &fault.StatusSpec{Code: code})}
	}
	s := start(t, backends.Options{Name: "app1", Seed: 7, Rules: fault.Rules{
		status(fault.When{Header: map[string]string{"Host": "b*"}}, 421),
		status(fault.When{Method: "POST"}, 405),
		status(fault.When{Path: "/share", Share: .3}, 503),
		status(fault.When{Path: "/share"}, 201),
		status(fault.When{Connection: fault.Range{From: 2, To: 2}, Exchange: fault.Range{From: 2, To: 2}}, 502),
		status(fault.When{Every: 3}, 500),
	}})
	one := dial(t, s.Addr())
	r1 := bufio.NewReader(one)
	ask := func(c io.Writer, r *bufio.Reader, text string, want int) {
		t.Helper()
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		if got, _ := answer(t, r); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	ask(one, r1, get, 200)
	ask(one, r1, get, 200)
	ask(one, r1, get, 500) // the third request on the backend
	two := dial(t, s.Addr())
	r2 := bufio.NewReader(two)
	ask(two, r2, get, 200)
	ask(two, r2, get, 502)
	ask(two, r2, strings.Replace(get, "Host: a", "Host: bc", 1), 421)
	ask(two, r2, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 405)
	taken := 0
	for n := 1; n <= 300; n++ {
		id := event.Request{Traffic: "t", N: n}.String()
		want := 201
		if fault.DrawRequest(7, "app1", 2, id) < .3 {
			want = 503
			taken++
		}
		// Twice: a request that is tried again meets the same fate.
		for range 2 {
			ask(two, r2, "GET /share HTTP/1.1\r\nHost: a\r\n"+event.RequestHeader+": "+id+"\r\n\r\n", want)
		}
	}
	if taken < 60 || taken > 120 {
		t.Errorf("the share of 30%% took %d of 300", taken)
	}
	// Requests that say nothing of who they are don't all draw the same.
	codes := map[int]int{}
	for range 100 {
		send(t, two, "GET /share HTTP/1.1\r\nHost: a\r\n\r\n")
		got, _ := answer(t, r2)
		codes[got]++
	}
	if len(codes) != 2 {
		t.Errorf("requests without an id got %v, want both", codes)
	}
}

func TestAnswerComesNotBeforeItsTime(t *testing.T) {
	const after = 100 * time.Millisecond
	for _, speed := range []float64{1, 10} {
		clk := clock.New(speed)
		clk.Begin(time.Now())
		s := start(t, backends.Options{Rules: always(t, &fault.RespondSpec{After: fault.For(after)}), Clock: clk})
		c := dial(t, s.Addr())
		sent := clk.Now()
		send(t, c, get)
		answer(t, bufio.NewReader(c))
		if took := clk.Now() - sent; took < after {
			t.Errorf("at speed %v the answer took %v of scenario time, want at least %v", speed, took, after)
		}
		if j := clk.Lateness().Jitter(clock.Wait); j.Count == 0 {
			t.Errorf("at speed %v no lateness was measured", speed)
		}
	}
}

// A hundred pieces, each a little late, may not end a hundred times late: their
// instants are counted from the request.
func TestLatenessOfADripDoesNotAddUp(t *testing.T) {
	const every, pieces = 2 * time.Millisecond, 100
	body := strings.Repeat("x", pieces)
	s := start(t, backends.Options{Rules: always(t, &fault.DripSpec{
		Every: every, What: "body", RespondSpec: fault.RespondSpec{Body: body}})})
	best := time.Hour
	for range 5 {
		c := dial(t, s.Addr())
		r := bufio.NewReader(c)
		sent := time.Now()
		send(t, c, get)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if line == "\r\n" {
				break
			}
		}
		for i := range pieces {
			if _, err := r.ReadByte(); err != nil {
				t.Fatal(err)
			}
			late := time.Since(sent) - time.Duration(i)*every
			if late < 0 {
				t.Fatalf("piece %d came %v early", i, -late)
			}
			if i == pieces-1 {
				best = min(best, late)
			}
		}
	}
	// A Linux timer alone is 0.05 ms late, Go's up to 1 ms: adding up, the last
	// piece would be at least 5 ms late even on an idle machine, mostly 50.
	t.Logf("the last piece came %v late", best)
	if best > 4*time.Millisecond {
		t.Errorf("the last piece came %v late in the best of 5", best)
	}
}

func TestSlowPDFIsStreamedWhole(t *testing.T) {
	const size = 2 << 20
	s := start(t, backends.Options{Rules: always(t, &fault.SlowPDFSpec{
		Generate: fault.For(50 * time.Millisecond), Size: size, Rate: 20 << 20})})
	c := dial(t, s.Addr())
	sent := time.Now()
	send(t, c, get)
	r := bufio.NewReader(c)
	if _, err := r.Peek(1); err != nil || time.Since(sent) < 50*time.Millisecond {
		t.Errorf("the first byte came after %v, %v; want at least 50ms", time.Since(sent), err)
	}
	_, got := answer(t, r)
	if took := time.Since(sent); took < 100*time.Millisecond {
		t.Errorf("2 MiB at 20 MiB/s took %v", took)
	}
	want := fault.Body{Size: size, PDF: true}
	if got != string(want.Append(nil, 0, size)) {
		t.Errorf("%d bytes, which aren't the document of %d", len(got), size)
	}
}
