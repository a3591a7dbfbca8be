package textdiff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnified(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"insert", "a\nb\n", "a\nx\nb\n", "--- old\n+++ new\n@@ -1,2 +1,3 @@\n a\n+x\n b\n"},
		{"delete all", "a\n", "", "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n"},
		{"two hunks", "1\n2\n3\n4\n5\n6\n7\n", "x\n2\n3\n4\n5\n6\ny\n",
			"--- old\n+++ new\n@@ -1,2 +1,2 @@\n-1\n+x\n 2\n@@ -6,2 +6,2 @@\n 6\n-7\n+y\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := string(Unified([]byte(test.old), []byte(test.new), Options{OldName: "old", NewName: "new", Context: 1}))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnifiedColor(t *testing.T) {
	got := string(Unified([]byte("a\n"), []byte("b\n"), Options{OldName: "o", NewName: "n", Color: true}))
	want := "\x1b[1m--- o\x1b[0m\n\x1b[1m+++ n\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The changes, applied to the old text, give the new one, and are no more than the shortest way needs.
func TestCompareIsShortest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := letters(random), letters(random)
		changes := compare(a, b)
		var rebuilt []string
		at, cost := 0, 0
		for _, c := range changes {
			rebuilt = append(append(rebuilt, a[at:c.oldStart]...), b[c.newStart:c.newEnd]...)
			at = c.oldEnd
			cost += c.oldEnd - c.oldStart + c.newEnd - c.newStart
		}
		rebuilt = append(rebuilt, a[at:]...)
		if strings.Join(rebuilt, "") != strings.Join(b, "") {
			t.Fatalf("%v to %v by %v gives %v", a, b, changes, rebuilt)
		}
		if want := len(a) + len(b) - 2*commonLength(a, b); cost != want {
			t.Fatalf("%v to %v: cost %d, shortest %d: %v", a, b, cost, want, changes)
		}
	}
}

func letters(random *rand.Rand) []string {
	list := make([]string, random.IntN(12))
	for i := range list {
		list[i] = fmt.Sprintf("%c", 'a'+random.IntN(3))
	}
	return list
}

// commonLength is the length of the longest common subsequence.
func commonLength(a, b []string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			} else {
				table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			}
		}
	}
	return table[len(a)][len(b)]
}
