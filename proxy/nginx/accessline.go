package nginx

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nolive/nolive/harness/event"
)

// accessLine is one line of our access log: one request from nginx's side.
// Times are milliseconds of nginx's clock.
type accessLine struct {
	end        int64 // when it was written, the end of the request
	took       int64
	pid        int
	connection int64
	request    event.Request
	status     int // 0 when the request was cut off before there was one
	body       bool
	host       string // $proxy_host of the last upstream run
	close      bool   // the last response said Connection: close
	complete   bool   // nginx was not stopped in the middle of it; a broken body is complete too
	unframed   bool   // the last response said neither how long it is nor that it has chunks
	whole      bool   // the client got all of the body that the header announced
	chunked    bool   // the last response came in chunks
	length     int64  // the length that the last response announced, -1 for none
	sent       int64  // bytes of body that went to the client, with their framing
	own        bool   // the header that the client got is not the backend's
	attempts   []attemptRecord
	stream     bool // a session of stream
}

// attemptRecord is one entry of the $upstream_... lists. Times are milliseconds,
// -1 for "-".
type attemptRecord struct {
	run      int // number of the run: error_page may start another
	addr     string
	status   int // 0 for "-"
	connect  int64
	header   int64
	response int64
	received int64 // bytes of the response behind its header, -1 for "-"
}

// parseAccessLine reads one line of the format accessFormat.
func parseAccessLine(line []byte, d dialect) (accessLine, error) {
	var raw struct {
		Msec, PID, Connection, Request, Status, Took, Length, Encoding string
		Addr, Upstatus, Connect, Header, Response                      string
		Host, Close, Complete, Method, Sent, Announced                 string
		Received                                                       string
		Framed                                                         *string
	}
	var a accessLine
	if err := json.Unmarshal(line, &raw); err != nil {
		return a, fmt.Errorf("access log: %w", err)
	}
	var err error
	if a.end, err = parseMsec(raw.Msec); err != nil {
		return a, fmt.Errorf("access log: %w", err)
	}
	d.clear(&raw.Length, &raw.Encoding, &raw.Host, &raw.Close, &raw.Announced, &raw.Sent)
	if raw.Framed != nil {
		d.clear(raw.Framed)
	}
	a.took = max(millis(raw.Took), 0)
	a.pid, _ = strconv.Atoi(raw.PID)
	a.connection, _ = strconv.ParseInt(raw.Connection, 10, 64)
	// A request that isn't ours has no id, or one that we can't read: it counts
	// all the same, it may have marked a peer.
	a.request, _ = event.ParseRequest(raw.Request)
	a.status, _ = strconv.Atoi(raw.Status)
	a.body = raw.Encoding != "" || (raw.Length != "" && raw.Length != "0")
	a.host = raw.Host
	a.close = strings.EqualFold(raw.Close, "close")
	a.complete = raw.Complete == "OK"
	a.whole = raw.Method == "HEAD" || raw.Announced != "" && raw.Sent == raw.Announced
	a.unframed = raw.Framed != nil && *raw.Framed == "" && raw.Method != "HEAD"
	a.own = raw.Framed != nil && *raw.Framed != "" && raw.Announced != "" && *raw.Framed != raw.Announced
	// A length beside it doesn't count, and stands before it here.
	a.chunked = raw.Framed != nil && strings.HasSuffix(strings.ToLower(*raw.Framed), "chunked")
	a.length = -1
	if raw.Framed != nil {
		if n, err := strconv.ParseInt(*raw.Framed, 10, 64); err == nil {
			a.length = n
		}
	}
	a.sent, _ = strconv.ParseInt(raw.Sent, 10, 64)
	a.attempts = records(raw.Addr, raw.Upstatus, raw.Connect, raw.Header, raw.Response, raw.Received)
	return a, nil
}

// records takes nginx's parallel lists apart: ", " between the attempts of one
// run and " : " between runs (ngx_http_upstream_addr_variable and its kin).
func records(addr, status, connect, header, response, received string) []attemptRecord {
	if addr == "" || addr == "-" {
		return nil
	}
	st, ct, ht, rt, ln := entries(status), entries(connect), entries(header), entries(response), entries(received)
	var out []attemptRecord
	for i, e := range entries(addr) {
		if e.text == "" || e.text == "-" {
			continue // a run that ended before it had a peer
		}
		r := attemptRecord{run: e.run, addr: e.text, connect: millis(at(ct, i)), header: millis(at(ht, i)), response: millis(at(rt, i))}
		r.status, _ = strconv.Atoi(at(st, i))
		r.received = -1
		if n, err := strconv.ParseInt(at(ln, i), 10, 64); err == nil {
			r.received = n
		}
		out = append(out, r)
	}
	return out
}

type entry struct {
	run  int
	text string
}

func entries(list string) []entry {
	var out []entry
	for run, part := range strings.Split(list, " : ") {
		for _, t := range strings.Split(part, ", ") {
			out = append(out, entry{run, strings.TrimSpace(t)})
		}
	}
	return out
}

func at(list []entry, i int) string {
	if i < len(list) {
		return list[i].text
	}
	return "-"
}

// millis reads nginx's "s.mmm"; -1 for "-" and whatever else is no time.
func millis(s string) int64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f > 1e12 {
		return -1
	}
	return int64(math.Round(f * 1000))
}
