package answer

import "io"

// input reads from the connection and remembers what the HTTP parser hides:
// whether anything came at all, and the first error as the connection told it.
type input struct {
	conn io.Reader
	// n counts the bytes of the present answer; limit bounds them while its
	// header is read, 0 is no bound.
	n, limit int64
	err      error
}

func (in *input) Read(p []byte) (int, error) {
	if in.err != nil {
		return 0, in.err
	}
	if in.limit > 0 {
		if in.n >= in.limit {
			return 0, errHead
		}
		// Whatever pieces it comes in, the same byte is the last one.
		p = p[:min(int64(len(p)), in.limit-in.n)]
	}
	n, err := in.conn.Read(p)
	in.n += int64(n)
	in.err = err
	return n, err
}
