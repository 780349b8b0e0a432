package upstream

import (
	"testing"

	"pgregory.net/rapid"
)

// TestBitmap compares the set with a map.
func TestBitmap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bitmap
		for range 2 { // once more in the memory that emptied leaves
			want := map[int]bool{}
			for _, i := range rapid.SliceOf(rapid.IntRange(0, 300)).Draw(t, "set") {
				b.add(i)
				want[i] = true
			}
			for i := range 301 {
				if b.has(i) != want[i] {
					t.Fatalf("%d: %v", i, b.has(i))
				}
			}
			b = b.emptied()
		}
	})
}
