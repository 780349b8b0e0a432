package wire

import "math"

// Is compares without regard to ASCII case.
func Is(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if c != s[i] && lower(c) != lower(s[i]) {
			return false
		}
	}
	return true
}

// Contains is ngx_strcasestrn: nginx looks for a word anywhere in a value.
func Contains(b []byte, s string) bool {
	for i := 0; i+len(s) <= len(b); i++ {
		if Is(b[i:i+len(s)], s) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// Number is ngx_atoof: digits only, no overflow.
func Number(b []byte) (int64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	n := int64(0)
	for _, c := range b {
		if c < '0' || c > '9' || n > (math.MaxInt64-9)/10 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
