package fault

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes, written as 512, 10KiB, 2MiB or 1GiB.
type Size int64

// maxSize is the largest size that is taken, 1 TiB: more is a slip of the keyboard.
const maxSize Size = 1 << 40

var sizeUnits = [...]struct {
	name string
	n    Size
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// UnmarshalText parses a size. A bare number is bytes.
func (s *Size) UnmarshalText(text []byte) error {
	num, unit := string(text), Size(1)
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(num, u.name); ok {
			num, unit = strings.TrimSuffix(n, " "), u.n
			break
		}
	}
	n, err := strconv.ParseUint(num, 10, 63)
	if err != nil {
		return fmt.Errorf("%q is no size; want a number of bytes, or one with KiB, MiB or GiB", text)
	}
	if Size(n) > maxSize/unit {
		return fmt.Errorf("%q is more than 1024GiB", text)
	}
	*s = Size(n) * unit
	return nil
}

// MarshalText is the inverse of UnmarshalText; it never fails.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String is the size in the largest unit that divides it.
func (s Size) String() string {
	for _, u := range sizeUnits[:len(sizeUnits)-1] {
		if s != 0 && s%u.n == 0 {
			return strconv.FormatInt(int64(s/u.n), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// Portion is a part of a whole, written as 25% or 0.25.
type Portion float64

// UnmarshalText parses a portion from 0 to 1.
func (p *Portion) UnmarshalText(text []byte) error {
	num, unit := string(text), 1.0
	if n, ok := strings.CutSuffix(num, "%"); ok {
		num, unit = strings.TrimSuffix(n, " "), 100
	}
	f, err := strconv.ParseFloat(num, 64)
	if err != nil || !(f >= 0 && f <= unit) {
		return fmt.Errorf("%q is not in 0%%..100%%", text)
	}
	*p = Portion(f / unit)
	return nil
}

// MarshalText is the inverse of UnmarshalText; it never fails.
func (p Portion) MarshalText() ([]byte, error) {
	return []byte(strconv.FormatFloat(float64(p), 'g', -1, 64)), nil
}
