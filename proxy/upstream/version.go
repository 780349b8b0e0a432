package upstream

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nolive/nolive/harness/event"
)

// Version is a version of nginx. What the model does differently from one to
// the next is asked by name, so no number stands anywhere else. The zero value
// is Stable.
type Version struct {
	// number is 1_022_001 for 1.22.1, and 1_022_999 for "1.22", the last of its
	// branch; 0 is Stable.
	number int
	text   string
}

var (
	// Stable is the newest stable version that the model was held against.
	Stable = Version{1_030_004, "1.30.4"}
	// Oldest is the first version that the model can be: before it, connections
	// with early responses were kept (1.9.10) and there was no warning of a
	// mark (1.9.1).
	Oldest = Version{1_009_010, "1.9.10"}
)

// ParseVersion reads "1.22.1", or "1.22" for the last of that branch. A version
// newer than all that were read behaves as the newest of them.
func ParseVersion(s string) (Version, error) {
	parts := strings.Split(s, ".")
	if len(parts) != 2 && len(parts) != 3 {
		return Version{}, fmt.Errorf("want a version of nginx such as 1.22 or 1.22.1, got %q", s)
	}
	n := [3]int{2: 999}
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 0 || v > 999 || p[0] == '+' {
			return Version{}, fmt.Errorf("want a version of nginx such as 1.22 or 1.22.1, got %q", s)
		}
		n[i] = v
	}
	v := Version{n[0]*1_000_000 + n[1]*1000 + n[2], s}
	if v.before(Oldest.number) {
		return Version{}, fmt.Errorf("%s is older than %s, the oldest that is modelled", s, Oldest)
	}
	return v, nil
}

// IsZero is true for a version that nobody named.
func (v Version) IsZero() bool { return v == Version{} }

// Unread says whether the version is newer than all whose rules are known, so that it
// goes by those of Stable.
func (v Version) Unread() bool { return v.number/1000 > Stable.number/1000 }

// String is the version as it was written.
func (v Version) String() string {
	if v.number == 0 {
		return Stable.text
	}
	return v.text
}

func (v Version) before(number int) bool {
	if v.number == 0 {
		v = Stable
	}
	return v.number < number
}

func (v Version) since(number int) bool { return !v.before(number) }

// RepeatsAnyMethod is true before 1.9.13: POST, LOCK and PATCH were sent again
// like every other request. Since then they aren't, once sent, unless
// non_idempotent is listed.
func (v Version) RepeatsAnyMethod() bool { return v.before(1_009_013) }

// AlwaysRepeatsCached is true before 1.9.13: an error on a kept-alive connection
// was always tried again, whatever proxy_next_upstream says
// (ngx_http_upstream_next).
func (v Version) AlwaysRepeatsCached() bool { return v.before(1_009_013) }

// ForgivesWhenNoneIsLive is true before 1.11.5: a request that found no live
// peer cleared the failures of all of them, the "quick recovery" that write-ups
// still tell of. That request was answered 502 all the same.
func (v Version) ForgivesWhenNoneIsLive() bool { return v.before(1_011_005) }

// SearchesWholeRing is true before 1.13.6: hash with consistent went on to the next
// point until it had seen them all, and then nobody was live; since, it goes by round
// robin after 20 points whose server is out (ngx_http_upstream_get_chash_peer).
func (v Version) SearchesWholeRing() bool { return v.before(1_013_006) }

// HashesEmptyKey is true before 1.17.1: hash took an empty key as any other; since, it
// goes by round robin then.
func (v Version) HashesEmptyKey() bool { return v.before(1_017_001) }

// HasListed502 is true before 1.13.7: a listed 503 or 504 that was given up was
// noted, and answered, as 502.
func (v Version) HasListed502() bool { return v.before(1_013_007) }

// CountsListedFirst is true before 1.13.11: a listed status was taken for a
// failure when there was one more try, and only then nginx looked whether it may
// go on, so that a POST's 503 marked the peer and became nginx's own error page
// (ngx_http_upstream_test_next).
func (v Version) CountsListedFirst() bool { return v.before(1_013_011) }

// CountsDown is true before 1.19.6: servers marked down counted as tries, so
// that "no live upstreams" could follow the failure of the last one that is up.
func (v Version) CountsDown() bool { return v.before(1_019_006) }

// ClearsSingle is true since 1.27.3: the end of an attempt on a lone server sets
// its failures to 0.
func (v Version) ClearsSingle() bool { return v.since(1_027_003) }

// RefusesOddNames is true since 1.21.1: a space or a control character in the
// name of a header makes it invalid; before, only NUL did.
func (v Version) RefusesOddNames() bool { return v.since(1_021_001) }

// RefusesOddLengths is true since 1.23.0: a header is invalid with a second or a
// malformed Content-Length, with Content-Length beside Transfer-Encoding, with a
// second Transfer-Encoding or one that isn't chunked.
func (v Version) RefusesOddLengths() bool { return v.since(1_023_000) }

// TimesHandshakesOut is true since 1.11.6: a handshake with a backend that takes too
// long is a time-out; before, it was an error as any other
// (ngx_http_upstream_ssl_handshake).
func (v Version) TimesHandshakesOut() bool { return v.since(1_011_006) }

// LateHandshake is the outcome of an attempt whose handshake takes too long.
func (v Version) LateHandshake() event.Outcome {
	if v.TimesHandshakesOut() {
		return event.ConnectTimeout
	}
	return event.Refused
}

// KeepsBehindChunks is true before 1.19.1: a connection is kept also when more than the
// last chunk has come; before as since not with more than Content-Length
// (ngx_http_proxy_chunked_filter).
func (v Version) KeepsBehindChunks() bool { return v.before(1_019_001) }

// TakesOverruns is true before 1.17.4: what stands between a chunk and the end of its
// line is passed over; since, it breaks the framing (ngx_http_parse_chunked).
func (v Version) TakesOverruns() bool { return v.before(1_017_004) }

// FillsTimes is true before 1.15.7: $upstream_connect_time and $upstream_header_time of
// an attempt that didn't come so far are its whole time, since then "-"
// (ngx_http_upstream_response_time_variable).
func (v Version) FillsTimes() bool { return v.before(1_015_007) }

// PassesMore is true before 1.19.1: what a backend sends behind Content-Length is passed
// on with the rest of it (ngx_http_proxy_copy_filter).
func (v Version) PassesMore() bool { return v.before(1_019_001) }

// KeepsBehindNothing is true before 1.21.4: with proxy_buffering off a connection was
// kept also when something came behind "Content-Length: 0"
// (ngx_http_proxy_non_buffered_copy_filter).
func (v Version) KeepsBehindNothing() bool { return v.before(1_021_004) }

// StopsAtSecondHints is true from 1.29.0 to 1.29.7: of two 103 responses that come in one
// the second is the response (ngx_http_upstream_process_header).
func (v Version) StopsAtSecondHints() bool { return v.TakesEarlyHints() && v.before(1_029_008) }

// LosesBeginOfRaw is true before 1.30.1: of an answer that turns out to be none of
// HTTP/1 the bytes that had been looked at before weren't passed on
// (ngx_http_proxy_process_status_line).
func (v Version) LosesBeginOfRaw() bool { return v.before(1_030_001) }

// DropsRepeatedFields is true since 1.23.0: of a response's Content-Type, Location,
// ETag and others the first line counts, and the rest is dropped with a warning;
// before, all were passed on, of Content-Type the last.
func (v Version) DropsRepeatedFields() bool { return v.since(1_023_000) }

// TakesEarlyHints is true since 1.29.0: a 103 response is consumed and the real
// one awaited; before, it was the response.
func (v Version) TakesEarlyHints() bool { return v.since(1_029_000) }

// WantsCRLFInChunks is true since 1.29.4: a bare LF breaks chunked framing.
func (v Version) WantsCRLFInChunks() bool { return v.since(1_029_004) }

// KeepsByDefault is true since 1.29.7: every upstream block keeps 32 connections
// a worker for each location, requests to backends are HTTP/1.1 and carry no
// Connection header unless the configuration says otherwise.
func (v Version) KeepsByDefault() bool { return v.since(1_029_007) }

// KeepaliveRequests is the default of an upstream's keepalive_requests; before
// 1.15.3 there was no limit.
func (v Version) KeepaliveRequests() int {
	switch {
	case v.before(1_015_003):
		return noLimit
	case v.before(1_019_010):
		return 100
	}
	return 1000
}

// LimitsIdle is true since 1.15.3, which brought an upstream's keepalive_timeout;
// before, only the backend ended an idle connection.
func (v Version) LimitsIdle() bool { return v.since(1_015_003) }

// LimitsAge is true since 1.19.10, which brought an upstream's keepalive_time.
func (v Version) LimitsAge() bool { return v.since(1_019_010) }

// Since says whether the version is number or newer, for words of the
// configuration, of which each has its own first version. It panics when number
// is no version.
func (v Version) Since(number string) bool {
	w, err := ParseVersion(number)
	if err != nil {
		panic(err)
	}
	return v.since(w.number)
}

// RevivesAtConnect is true since 1.11.8: through stream a marked server is back
// when a connect to it stands, before only at the end of the session.
func (v Version) RevivesAtConnect() bool { return v.since(1_011_008) }

// switches are the questions on which two versions may differ, each with what
// the model does when it is true.
var switches = append([]versionSwitch{
	{"repeats a POST once sent", Version.RepeatsAnyMethod},
	{"forgets failures when no peer is live", Version.ForgivesWhenNoneIsLive},
	{"notes a listed 503 as 502", Version.HasListed502},
	{"counts a listed status before it asks whether it may go on", Version.CountsListedFirst},
	{"counts servers that are down as tries", Version.CountsDown},
	{"searches the whole ring of a consistent hash", Version.SearchesWholeRing},
	{"hashes an empty key", Version.HashesEmptyKey},
	{"clears the failures of a lone server", Version.ClearsSingle},
	{"refuses odd names of headers", Version.RefusesOddNames},
	{"refuses odd lengths", Version.RefusesOddLengths},
	{"joins the lines of a header in its variable", Version.JoinsHeaderLines},
	{"drops headers that a response repeats", Version.DropsRepeatedFields},
	{"loses the begin of an answer of HTTP/0.9", Version.LosesBeginOfRaw},
	{"takes a handshake that is late for a time-out", Version.TimesHandshakesOut},
	{"keeps a connection with data behind the last chunk", Version.KeepsBehindChunks},
	{"passes on what comes behind Content-Length", Version.PassesMore},
	{"keeps an unbuffered connection with data behind no body", Version.KeepsBehindNothing},
	{"takes the second of two early hints for the response", Version.StopsAtSecondHints},
	{"passes over what a chunk has too much", Version.TakesOverruns},
	{"fills the times of what did not happen", Version.FillsTimes},
	{"takes early hints", Version.TakesEarlyHints},
	{"wants CRLF in chunks", Version.WantsCRLFInChunks},
	{"keeps connections by default", Version.KeepsByDefault},
	{"revives a server of stream at its connect", Version.RevivesAtConnect},
	{"limits how long connections idle", Version.LimitsIdle},
	{"limits the age of connections", Version.LimitsAge},
}, requestSwitches...)

// versionSwitch is one question, and what the model does when it is true.
type versionSwitch struct {
	what string
	ask  func(Version) bool
}

// Differences says in which respects w behaves differently from v, as "only
// 1.10 forgets failures when no peer is live"; none when one may stand for the
// other.
func (v Version) Differences(w Version) []string {
	var out []string
	for _, s := range switches {
		switch a, b := s.ask(v), s.ask(w); {
		case a && !b:
			out = append(out, fmt.Sprintf("only %s %s", v, s.what))
		case b && !a:
			out = append(out, fmt.Sprintf("only %s %s", w, s.what))
		}
	}
	return out
}

// JoinsHeaderLines: $http_x, $sent_http_x and $upstream_http_x are all header lines
// of a name, not the first (1.23.0).
func (v Version) JoinsHeaderLines() bool { return !v.before(1_023_000) }
