package backends_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/event"
)

// The head and body of a cut answer.
const (
	cutHead = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"
	cutBody = "complete"
)

func TestCutsAsAClientSeesThem(t *testing.T) {
	for _, c := range []struct {
		name string
		cut  fault.CutSpec
		want string
	}{
		{"request", fault.CutSpec{}, ""},
		{"request, after a while", fault.CutSpec{RespondSpec: fault.RespondSpec{After: fault.For(30 * time.Millisecond)}}, ""},
		{"header", fault.CutSpec{At: "header"}, cutHead[:len(cutHead)/2]},
		{"header, 1 byte", fault.CutSpec{At: "header", Bytes: 1}, "H"},
		{"header, all but one", fault.CutSpec{At: "header", Bytes: 37}, cutHead[:37]},
		{"header, with a pause", fault.CutSpec{At: "header", Bytes: 5, Pause: 30 * time.Millisecond}, "HTTP/"},
		{"after the header", fault.CutSpec{At: "after_header"}, cutHead},
		{"body", fault.CutSpec{At: "body"}, cutHead + "comp"},
		{"body, 1 byte", fault.CutSpec{At: "body", Bytes: 1}, cutHead + "c"},
		{"body, three quarters", fault.CutSpec{At: "body", Share: .75}, cutHead + "comple"},
	} {
		c.cut.Body = cutBody
		for end, spec := range map[string]fault.Spec{
			"fin": &fault.CloseSpec{CutSpec: c.cut}, "rst": &fault.ResetSpec{CutSpec: c.cut},
		} {
			s := start(t, backends.Options{Rules: always(t, spec)})
			tcp := dial(t, s.Addr())
			begun := time.Now()
			send(t, tcp, get)
			got, how := rest(tcp)
			if got != c.want || how != end {
				t.Errorf("%s: got %q and %s, want %q and %s", c.name, got, how, c.want, end)
			}
			if wait := c.cut.After.For + c.cut.Pause; time.Since(begun) < wait {
				t.Errorf("%s: it took %v, want at least %v", c.name, time.Since(begun), wait)
			}
		}
	}
}

// The client has sent its request by then, so closing with unread data would
// reset: an orderly close must not.
func TestCutsAtAccept(t *testing.T) {
	for _, after := range []time.Duration{0, 30 * time.Millisecond} {
		cut := fault.CutSpec{At: "accept", RespondSpec: fault.RespondSpec{After: fault.For(after)}}
		for end, spec := range map[string]fault.Spec{
			"fin": &fault.CloseSpec{CutSpec: cut}, "rst": &fault.ResetSpec{CutSpec: cut},
		} {
			rec := &record{}
			rules := always(t, spec)
			rules[0].When.Connection = fault.Range{From: 2}
			s := start(t, backends.Options{Rules: rules, Sink: rec})
			first := dial(t, s.Addr())
			send(t, first, get)
			answer(t, bufio.NewReader(first))
			for range 20 {
				tcp, err := connect(s.Addr(), patience)
				if errors.Is(err, syscall.ECONNRESET) && end == "rst" {
					continue // before connect() even returned
				} else if err != nil {
					t.Fatal(err)
				}
				tcp.SetDeadline(time.Now().Add(patience))
				_, err = io.WriteString(tcp, get)
				got, how := rest(tcp)
				tcp.Close()
				if errors.Is(err, syscall.ECONNRESET) {
					how = "rst" // the kernel tells of it only once
				}
				if got != "" || how != end {
					t.Errorf("after %v: got %q and %s, want %s", after, got, how, end)
				}
			}
			if n := len(rec.of(event.BackendGot)); n != 1 {
				t.Errorf("%d requests were read, want only the first connection's", n)
			}
			word := map[string]string{"fin": "close", "rst": "reset"}[end]
			if told := rec.of(event.BackendCut); len(told) != 20 || told[0].Detail != word || told[0].Cached {
				t.Errorf("%d cuts were told of, want 20; the first is %+v", len(told), told)
			}
		}
	}
}

// So many bytes of the request are enough, and fewer are not.
func TestCutsAfterTheFirstBytes(t *testing.T) {
	cut := fault.CutSpec{At: "accept", RespondSpec: fault.RespondSpec{Read: fault.Part{Some: true, Bytes: 10}}}
	for end, spec := range map[string]fault.Spec{
		"fin": &fault.CloseSpec{CutSpec: cut}, "rst": &fault.ResetSpec{CutSpec: cut}, "timeout": &fault.HangSpec{CutSpec: cut},
	} {
		rec := &record{}
		s := start(t, backends.Options{Rules: always(t, spec), Sink: rec})
		c := dial(t, s.Addr())
		send(t, c, get[:9])
		c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if got, how := rest(c); got != "" || how != "timeout" {
			t.Errorf("%s: after 9 bytes: %q and %s", end, got, how)
		}
		if end != "timeout" {
			c.SetReadDeadline(time.Now().Add(patience))
		} else {
			c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		}
		send(t, c, get[9:10])
		if got, how := rest(c); got != "" || how != end {
			t.Errorf("after 10 bytes: %q and %s, want %s", got, how, end)
		}
		if n := len(rec.of(event.BackendGot)); n != 0 {
			t.Errorf("%s: %d requests were read", end, n)
		}
	}
}

// A reset throws away what the kernel hasn't sent yet. All that the script
// sends before it has to arrive.
func TestResetComesAfterTheLastByte(t *testing.T) {
	const size = 1 << 20
	s := start(t, backends.Options{Rules: always(t, &fault.ResetSpec{CutSpec: fault.CutSpec{
		At: "body", RespondSpec: fault.RespondSpec{Size: size}}})})
	for range 20 {
		c := dial(t, s.Addr())
		send(t, c, get)
		eventually(t, "a full window", func() bool { return s.Connections() == 1 })
		got, how := rest(c)
		_, body, _ := strings.Cut(got, "\r\n\r\n")
		if len(body) != size/2 || how != "rst" {
			t.Fatalf("got %d bytes of the body and %s, want %d and rst", len(body), how, size/2)
		}
	}
}

func TestAnswerWithoutLengthEndsWithTheConnection(t *testing.T) {
	s := start(t, backends.Options{Rules: always(t, &fault.RespondSpec{Framing: "close", Size: 100_000})})
	c := dial(t, s.Addr())
	send(t, c, get)
	got, how := rest(c)
	if head, body, _ := strings.Cut(got, "\r\n\r\n"); strings.Contains(head, "Length") || len(body) != 100_000 || how != "fin" {
		t.Errorf("got %q, %d bytes and %s, want no length, 100000 and fin", head, len(body), how)
	}
}
