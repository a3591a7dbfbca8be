package filecheck

import (
	"math/rand/v2"
	"testing"
)

// TestEditDistance compares the band with the whole table, on random texts of few letters.
func TestEditDistance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string {
		b := make([]byte, random.IntN(n))
		for i := range b {
			b[i] = "abc"[random.IntN(3)]
		}
		return string(b)
	}
	for range 20000 {
		a, b, limit := word(30), word(30), 1+random.IntN(30)
		want := min(wholeDistance(a, b), limit)
		if got := newEditDistance(a).to(b, limit); got != want {
			t.Fatalf("distance of %q and %q below %d is %d, want %d", a, b, limit, got, want)
		}
	}
}

func wholeDistance(a, b string) int {
	row := make([]int, len(a)+1)
	for i := range row {
		row[i] = i
	}
	for y := range len(b) {
		diagonal := row[0]
		row[0] = y + 1
		for x := range len(a) {
			above := row[x+1]
			cost := diagonal
			if a[x] != b[y] {
				cost = min(diagonal, above, row[x]) + 1
			}
			row[x+1], diagonal = cost, above
		}
	}
	return row[len(a)]
}
