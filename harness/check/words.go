package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a verdict says at most, so that it stays a line.
const (
	// shown is how many instants or lengths it lists.
	shown = 4
	// shownNumbers is how many requests it names by number.
	shownNumbers = 8
)

// listed joins the first few and says when there are more.
func listed(items []string, sep string, few int) string {
	if len(items) > few {
		items = append(slices.Clone(items[:few]), "...")
	}
	return strings.Join(items, sep)
}

// plural is "1 request" or "2 requests".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// requests is "requests 1, 11, 21".
func requests(numbers []int) string {
	numbers = slices.Clone(numbers)
	more := len(numbers) > shownNumbers
	if !more {
		slices.Sort(numbers)
	}
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = fmt.Sprint(n)
	}
	if len(list) == 1 {
		return "request " + list[0]
	}
	return "requests " + listed(list, ", ", shownNumbers)
}

// ratio is n of m, 0 when there is nothing to divide.
func ratio(n, m int) float64 {
	if m == 0 {
		return 0
	}
	return float64(n) / float64(m)
}

// percent shows a share with one decimal, a small one with three digits. Close
// to the whole it keeps more, because 17,999 of 18,000 aren't "100.0%".
func percent(v float64) string {
	switch v *= 100; {
	case v > 0 && v < 1:
		return strconv.FormatFloat(v, 'g', 3, 64) + "%"
	case v > 99 && v < 100:
		return strconv.FormatFloat(v, 'f', 4, 64) + "%"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + "%"
}

// seconds is an instant or a length as a verdict shows it: whole milliseconds
// with one decimal at least; what is shorter than ten of them keeps its unit.
func seconds(d time.Duration) string {
	if d > 0 && d < 10*time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	s := strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
	for strings.HasSuffix(s, "0") && !strings.HasSuffix(s, ".0") {
		s = s[:len(s)-1]
	}
	return s + "s"
}
