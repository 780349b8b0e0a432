package cases

import "fmt"

// answer draws an ordinary answer.
func answer(d *dice) string {
	switch d.below(10) {
	case 8, 9:
		return early(d)
	case 0:
		return `{respond: {status: 200, headers: {Connection: close}}}`
	case 1:
		return fmt.Sprintf("{respond: {status: 200, framing: %s}}", of(d, "close", "http10"))
	case 2:
		return fmt.Sprintf("{respond: {status: 200, size: %s}}", of(d, "2KiB", "100KiB"))
	case 3:
		return "{respond: {status: 200}}"
	case 4:
		return fmt.Sprintf("{respond: {status: 200, %s}}", chunked(d))
	case 5:
		return fmt.Sprintf("{respond: {status: 200, %s, trailers: {X-Sum: 5}, after: %s}}", chunked(d), pause(d))
	}
	return fmt.Sprintf("{respond: {status: 200, after: %s}}", pause(d))
}

// early draws an answer that comes when not all of the request was read. By then
// the proxy has sent it: whether it still writes when the answer comes is a race, see
// Exceptions of package agree.
func early(d *dice) string {
	return fmt.Sprintf("{respond: {status: %d, read: %s, after: %s, then: %s}}", of(d, 200, 200, 200, 413, 503), of(d, "head", "head", "50", "10KiB"), pause(d),
		of(d, "keep", "keep", "close", "linger", "hang"))
}

// chunked draws a body in chunks, as keys of an answer.
func chunked(d *dice) string {
	return fmt.Sprintf("framing: chunked, size: %s, chunk: %s", of(d, "100", "2KiB", "100KiB"), of(d, "50", "1KiB", "64KiB"))
}

// brokenChunks draws a chunked body that breaks off or drips.
func brokenChunks(d *dice) string {
	if d.chance(30) {
		return fmt.Sprintf("{drip: {every: %s, bytes: %d, what: body, framing: chunked, body: %q}}", of(d, "100ms", "350ms"), of(d, 5, 8, 12), "chunks in drops")
	}
	return fmt.Sprintf("{%s: {at: body, %s}}", of(d, "reset", "close", "hang"), chunked(d))
}

// malformations are what malformed takes.
var malformations = []string{
	"bad_length", "broken_chunk", "conflicting_lengths", "duplicate_length", "header_line", "header_name",
	"http09", "junk", "length_and_chunked", "no_last_chunk", "status_line", "two_responses",
}

// malformed draws an answer that is no proper HTTP.
func malformed(d *dice) string {
	what := of(d, malformations...)
	if d.chance(30) {
		return fmt.Sprintf("{malformed: {what: %s, after: %s}}", what, pause(d))
	}
	return fmt.Sprintf("{malformed: %s}", what)
}

// interim draws an answer with an interim response before it.
func interim(d *dice) string {
	return fmt.Sprintf("{respond: {status: %d, interim: %d, after: %s}}", of(d, 200, 200, 503), of(d, 103, 103, 100), pause(d))
}

// padded draws an answer whose header fills nginx's buffer, of 4096 bytes unless
// proxy_buffer_size says otherwise, nearly, exactly, or not.
func padded(d *dice) string {
	size := of(d, "900", "3KiB", "4095", "4096", "4097", "6KiB", "8KiB", "9KiB")
	switch d.below(4) {
	case 0:
		return fmt.Sprintf("{respond: {status: 503, header_size: %s}}", size)
	case 1:
		return fmt.Sprintf("{drip: {every: 100ms, bytes: 2KiB, what: header, header_size: %s}}", size)
	}
	return fmt.Sprintf("{respond: {status: 200, header_size: %s}}", size)
}
