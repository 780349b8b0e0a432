package nginx

import "testing"

// Before 1.15.7 a time that was not reached is written as the response time: 1.13.10
// has `"header":"1.000, 0.010"` for a time-out that another server made good for.
func TestTimesThatWereNotReached(t *testing.T) {
	old := binary{number: [3]int{1, 13, 10}}
	got := toldBy(t, old,
		accessText("102.010", "1.010", "1", "t/1", "200", "127.0.0.1:1, 127.0.0.1:2", "504, 200", "0.000, 0.000", "1.000, 0.010", "1.000, 0.010", "")+
			accessText("103.000", "0.000", "2", "t/2", "502", "127.0.0.1:1", "502", "0.000", "0.000", "0.000", "")+
			accessText("104.000", "0.000", "3", "t/3", "502", "u", "502", "0.000", "0.000", "0.000", "")+
			accessText("105.500", "0.500", "4", "t/4", "499", "127.0.0.1:1", "-", "-", "-", "-", "")+
			accessText("106.000", "0.000", "5", "t/5", "502", "127.0.0.1:1", "502", "0.000", "0.000", "0.000", ""),
		errorText(2, "error", "1", timedOut, "127.0.0.1:1")+
			errorText(3, "error", "2", "connect() failed (111: Connection refused) while connecting to upstream", "127.0.0.1:1")+
			errorText(4, "error", "3", "no live upstreams while connecting to upstream", "u"))
	want(t, got,
		"1s attempt t/1 a", "2s ended t/1 a read_timeout", "2s attempt t/1 b", "2.01s ended t/1 b passed", "2.01s answered t/1",
		"3s attempt t/2 a", "3s ended t/2 a refused", "3s answered t/2",
		"4s no_live t/3", "4s answered t/3",
		"5s attempt t/4 a", "5.5s ended t/4 a aborted", "5.5s answered t/4",
		// A backend's own 502 leaves no line.
		"6s attempt t/5 a", "6s ended t/5 a passed", "6s answered t/5")
}

// Before 1.13.11 a listed status that led nowhere was a failure all the same, and nginx's
// own page the answer: the mark's line tells, else that the length isn't the backend's.
func TestListedThatLedNowhere(t *testing.T) {
	old := binary{number: [3]int{1, 12, 2}}
	lengths := func(announced, framed string) string {
		return `"complete":"OK","method":"POST","announced":"` + announced + `","framed":"` + framed + `"`
	}
	got := toldBy(t, old,
		accessText("101.000", "0.000", "1", "t/1", "502", "127.0.0.1:1", "502", "0.000", "0.000", "0.000", lengths("173", "173"))+
			accessText("102.000", "0.000", "2", "t/2", "404", "127.0.0.1:2", "404", "0.000", "0.000", "0.000", lengths("169", "5"))+
			accessText("103.000", "0.000", "3", "t/3", "404", "127.0.0.1:2", "404", "0.000", "0.000", "0.000", lengths("5", "5")),
		errorText(1, "warn", "1", disabled, "127.0.0.1:1"))
	want(t, got,
		"1s attempt t/1 a", "1s ended t/1 a listed", "1s marked t/1 a listed", "1s answered t/1",
		"2s attempt t/2 b", "2s ended t/2 b listed", "2s answered t/2",
		"3s attempt t/3 b", "3s ended t/3 b passed", "3s answered t/3")
}

// Before 1.11.8 what is empty is a dash, also beside another variable.
func TestDashes(t *testing.T) {
	line := []byte(`{"msec":"101.000","pid":"7","connection":"1","request":"t/1","status":"200","took":"0.000","length":"-","encoding":"-",` +
		`"addr":"127.0.0.1:1","upstatus":"200","connect":"0.000","header":"0.000","response":"0.000","host":"u","close":"-","complete":"OK",` +
		`"method":"GET","sent":"5","announced":"-","framed":"-chunked"}`)
	a, err := parseAccessLine(line, dialect{dashes: true})
	if err != nil || a.body || a.unframed || a.own || a.whole {
		t.Errorf("%+v, %v", a, err)
	}
	if a, _ := parseAccessLine(line, dialect{}); !a.body {
		t.Error("a dash is empty for every version")
	}
}
