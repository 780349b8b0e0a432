package event

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const headerLine = `{"nolive":1,"scenario":"curl-loop","engine":"sim","speed":0,"seed":1,"clock_error":0,"events":0,"path":"a.yaml","source":"name: x\n"}`

func TestOneEventALine(t *testing.T) {
	var b bytes.Buffer
	enc := NewEncoder(&b)
	if err := enc.Header(Header{Scenario: "curl-loop", Engine: "sim", Seed: 1, Path: "a.yaml", Source: "name: x\n"}); err != nil {
		t.Fatal(err)
	}
	enc.Emit(Event{At: 60*time.Second + 20*time.Millisecond, Kind: AttemptEnded, Request: Request{"curl", 1}, Try: 1,
		Peer: "10.0.0.1:80", Upstream: "u", Outcome: ReadTimeout, Status: 504, Cached: true, Worker: 2})
	enc.Emit(Event{At: -1500 * time.Microsecond, Kind: FaultOn, Peer: "a", Detail: "freeze"})
	enc.Emit(Event{Kind: Logged, Detail: "say \"no\"\\\n\x01 \xff é"})
	if enc.Err() != nil {
		t.Fatal(enc.Err())
	}
	want := headerLine + "\n" +
		`{"at":60.02,"kind":"ended","request":"curl/1","try":1,"peer":"10.0.0.1:80","upstream":"u","outcome":"read_timeout","status":504,"cached":true,"worker":2}` + "\n" +
		`{"at":-0.0015,"kind":"fault_on","peer":"a","detail":"freeze"}` + "\n" +
		`{"at":0,"kind":"log","detail":"say \"no\"\\\n\u0001 ` + "\uFFFD" + ` é"}` + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// An instant just before a whole second stays before it, for replays.
func TestAtRoundsDown(t *testing.T) {
	for at, want := range map[time.Duration]string{
		60*time.Second - 1:                 "59.999999",
		60 * time.Second:                   "60",
		60*time.Second + 999:               "60",
		time.Microsecond:                   "0.000001",
		-1:                                 "-0.000001",
		100 * time.Millisecond:             "0.1",
		time.Hour + 10*time.Microsecond:    "3600.00001",
		10*time.Second + 1*time.Nanosecond: "10",
	} {
		if got := string(appendSeconds(nil, at)); got != want {
			t.Errorf("%d ns: %s, want %s", at, got, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOf(anyEvent()).Draw(t, "events")
		header := Header{
			Scenario: rapid.String().Draw(t, "scenario"), Engine: "nginx", Speed: rapid.Float64Range(0, 100).Draw(t, "speed"),
			Seed: rapid.Uint64().Draw(t, "seed"), ClockError: 0.25, Source: rapid.String().Draw(t, "source"),
		}
		var b bytes.Buffer
		enc := NewEncoder(&b)
		if err := enc.Header(header); err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if err := enc.Encode(e); err != nil {
				t.Fatal(err)
			}
		}
		dec := NewDecoder(&b)
		header.Version = Version
		if got, err := dec.Header(); err != nil || !cmp.Equal(got, header) {
			t.Fatalf("header %+v, %v", got, err)
		}
		got, err := all(dec)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 && len(events) == 0 {
			return
		}
		if diff := cmp.Diff(events, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func anyEvent() *rapid.Generator[Event] {
	return rapid.Custom(func(t *rapid.T) Event {
		e := Event{
			At:       time.Duration(rapid.Int64Range(-1e6, 9e15).Draw(t, "us")) * time.Microsecond,
			Kind:     Kind(rapid.IntRange(int(RequestSent), int(Logged)).Draw(t, "kind")),
			Try:      rapid.IntRange(0, 1<<31-1).Draw(t, "try"),
			Peer:     rapid.String().Draw(t, "peer"),
			Upstream: rapid.SampledFrom([]string{"", "u", "portal"}).Draw(t, "upstream"),
			Outcome:  Outcome(rapid.IntRange(0, int(ClientRefused)).Draw(t, "outcome")),
			Status:   rapid.IntRange(0, 999).Draw(t, "status"),
			Cached:   rapid.Bool().Draw(t, "cached"),
			Worker:   rapid.IntRange(0, 64).Draw(t, "worker"),
			Detail:   rapid.String().Draw(t, "detail"),
		}
		if rapid.Bool().Draw(t, "has request") {
			e.Request = Request{rapid.StringN(1, 8, -1).Draw(t, "traffic"), rapid.IntRange(1, 1<<40).Draw(t, "n")}
		}
		return e
	})
}

func all(d *Decoder) (events []Event, err error) {
	for {
		e, err := d.Next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func TestDecoderIsStrict(t *testing.T) {
	good := `{"at":1,"kind":"sent","request":"a/1"}`
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "the log is empty"},
		{"no header", good, `line 1: not a log of nolive: want {"nolive":1, ...}`},
		{"binary junk", "\x00\xff\x13", `line 1: not a log of nolive: want {"nolive":1, ...}`},
		{"another version", `{"nolive":2,"x":1}`, "line 1: log format 2: this program reads format 1"},
		{"unknown header field", `{"nolive":1,"sped":1}`, `line 1: unknown field "sped"`},
		{"unknown field", headerLine + "\n" + good + "\n" + `{"at":1,"kind":"sent","pear":"x"}`, `line 3: unknown field "pear"`},
		{"upper case", headerLine + "\n" + `{"AT":1,"kind":"sent"}`, `line 2: unknown field "AT"`},
		{"twice", headerLine + "\n" + `{"at":1,"kind":"sent","at":2}`, `line 2: field "at" is there twice`},
		{"no at", headerLine + "\n" + `{"kind":"sent"}`, `line 2: "at" or "kind" is missing`},
		{"unknown kind", headerLine + "\n" + `{"at":1,"kind":"send"}`, `line 2: kind: unknown event kind "send"`},
		{"unknown outcome", headerLine + "\n" + `{"at":1,"kind":"ended","outcome":"bad"}`, `line 2: outcome: unknown outcome "bad"`},
		{"request", headerLine + "\n" + `{"at":1,"kind":"sent","request":"curl"}`, `line 2: request: request "curl" is not of the form traffic/n`},
		{"at is a string", headerLine + "\n" + `{"at":"1s","kind":"sent"}`, `line 2: at: want a number`},
		{"at is huge", headerLine + "\n" + `{"at":99999999999,"kind":"sent"}`, `line 2: at: 99999999999 is out of range`},
		{"exponent", headerLine + "\n" + `{"at":1e3,"kind":"sent"}`, `line 2: at: 1e3: write the seconds without an exponent`},
		{"peer is a number", headerLine + "\n" + `{"at":1,"kind":"sent","peer":7}`, `line 2: peer: want a string`},
		{"negative try", headerLine + "\n" + `{"at":1,"kind":"attempt","try":-1}`, `line 2: try: -1 is no whole number from 0`},
		{"nested", headerLine + "\n" + `{"at":1,"kind":"sent","peer":{}}`, `line 2: peer: want a string or a number`},
		{"broken off", headerLine + "\n" + good + "\n" + `{"at":1,"kind":"se`, `line 3: the line breaks off`},
		{"empty line", headerLine + "\n\n" + good, `line 2: not a JSON object`},
		{"two on a line", headerLine + "\n" + good + good, `line 2: something follows the event`},
		{"cached", headerLine + "\n" + `{"at":1,"kind":"attempt","cached":1}`, `line 2: cached: want true or false`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewDecoder(strings.NewReader(c.text))
			_, err := all(d)
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if _, again := d.Next(); again == nil || again.Error() != err.Error() {
				t.Errorf("the second call says %v", again)
			}
		})
	}
}

func TestDecoderReadsLongLines(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	var b bytes.Buffer
	enc := NewEncoder(&b)
	_ = enc.Header(Header{Source: long})
	enc.Emit(Event{Kind: Logged, Detail: long})
	enc.Emit(Event{Kind: Logged, Detail: "short"})
	d := NewDecoder(&b)
	if h, err := d.Header(); err != nil || h.Source != long {
		t.Fatal(err)
	}
	got, err := all(d)
	if err != nil || len(got) != 2 || got[0].Detail != long || got[1].Detail != "short" {
		t.Fatalf("%d events, %v", len(got), err)
	}
}

func TestDecoderTellsReadErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	d := NewDecoder(io.MultiReader(strings.NewReader(headerLine+"\n"), failing{broken}))
	if _, err := d.Header(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Next(); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestEncoderKeepsTheFirstError(t *testing.T) {
	broken := errors.New("disk full")
	enc := NewEncoder(failing{broken})
	enc.Emit(Event{Kind: RequestSent})
	if !errors.Is(enc.Err(), broken) || !errors.Is(enc.Encode(Event{}), broken) || !errors.Is(enc.Header(Header{}), broken) {
		t.Error(enc.Err())
	}
}

// What the decoder accepts it also writes again, line for line the same event.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte(headerLine + "\n" + `{"at":60.02,"kind":"ended","request":"curl/1","try":1,"outcome":"read_timeout"}` + "\n"))
	f.Add([]byte(headerLine + "\n" + `{"at":-0.5,"kind":"log","detail":"\u00e9\ud800"}`))
	f.Add([]byte("{}\n\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		events, _ := all(NewDecoder(bytes.NewReader(text)))
		var b bytes.Buffer
		enc := NewEncoder(&b)
		_ = enc.Header(Header{})
		for _, e := range events {
			enc.Emit(e)
		}
		again, err := all(NewDecoder(&b))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(events, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	enc := NewEncoder(io.Discard)
	e := Event{At: 61 * time.Second, Kind: AttemptEnded, Request: Request{"curl", 17}, Try: 1, Peer: "10.0.0.1:80", Upstream: "u", Outcome: Passed, Status: 200}
	b.ReportAllocs()
	for b.Loop() {
		enc.Emit(e)
	}
}

func BenchmarkDecode(b *testing.B) {
	line := AppendJSON(nil, Event{At: 61 * time.Second, Kind: AttemptEnded, Request: Request{"curl", 17}, Try: 1, Peer: "10.0.0.1:80", Upstream: "u", Outcome: Passed, Status: 200})
	text := headerLine + "\n" + strings.Repeat(string(line)+"\n", b.N)
	b.ReportAllocs()
	d := NewDecoder(strings.NewReader(text))
	b.ResetTimer()
	if events, err := all(d); err != nil || len(events) != b.N {
		b.Fatal(err)
	}
}
