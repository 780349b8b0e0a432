package analysis

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestIndexNumbersKeysOnce(t *testing.T) {
	var x index[string]
	for range 2 {
		for i := range 3 * few {
			if got := x.of(strconv.Itoa(i)); got != i {
				t.Fatalf("key %d has number %d", i, got)
			}
		}
	}
}

// The table of requests in flight against a map.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, twin := newTraffic(), map[int]*flight{}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				n := rapid.IntRange(1, 200).Draw(t, "n")
				if twin[n] == nil {
					f := &flight{}
					f.x.Request.N = n
					twin[n] = f
					table.put(f)
				}
			},
			"remove": func(t *rapid.T) {
				n := rapid.IntRange(1, 200).Draw(t, "n")
				delete(twin, n)
				table.remove(n)
			},
			"": func(t *rapid.T) {
				for n := range 201 {
					if table.get(n) != twin[n] {
						t.Fatalf("number %d: %v, want %v", n, table.get(n), twin[n])
					}
				}
				if table.used != len(twin) {
					t.Fatalf("%d used, want %d", table.used, len(twin))
				}
			},
		})
	})
}

// The memory of recent numbers against a set.
func TestRecentRemembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r recent
		set := map[int]bool{}
		top := 0
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			n := max(1, top+rapid.OneOf(rapid.IntRange(-30, 30), rapid.IntRange(-2*window, 2*window)).Draw(t, "step"))
			if want := set[n] || n <= top-window; r.has(n) != want {
				t.Fatalf("has(%d) = %v with top %d", n, r.has(n), top)
			}
			r.add(n)
			set[n] = true
			top = max(top, n)
		}
	})
}
