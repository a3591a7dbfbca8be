// Package textdiff compares two texts line by line and writes what differs as a unified diff.
package textdiff

import (
	"bytes"
	"fmt"
	"slices"
)

// Options say how a diff is written.
type Options struct {
	// OldName and NewName stand behind --- and +++.
	OldName, NewName string
	// Context is the number of equal lines around a change.
	Context int
	// Color colours lines for a terminal.
	Color bool
}

// Unified returns the unified diff from one text to another, nil where they are equal.
func Unified(old, new []byte, o Options) []byte {
	a, b := lines(old), lines(new)
	changes := compare(a, b)
	if len(changes) == 0 {
		return nil
	}
	w := writer{options: o, old: a, new: b}
	w.line("1", "--- ", o.OldName)
	w.line("1", "+++ ", o.NewName)
	for start := 0; start < len(changes); {
		end := start + 1
		for end < len(changes) && changes[end].oldStart-changes[end-1].oldEnd <= 2*o.Context {
			end++
		}
		w.hunk(changes[start:end])
		start = end
	}
	return w.text.Bytes()
}

// lines cuts a text at its line ends, which are dropped.
func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	parts := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	list := make([]string, len(parts))
	for i, p := range parts {
		list[i] = string(p)
	}
	return list
}

type writer struct {
	options  Options
	old, new []string
	text     bytes.Buffer
}

func (w *writer) line(color, prefix, text string) {
	if w.options.Color && color != "" {
		fmt.Fprintf(&w.text, "\x1b[%sm%s%s\x1b[0m\n", color, prefix, text)
		return
	}
	w.text.WriteString(prefix)
	w.text.WriteString(text)
	w.text.WriteByte('\n')
}

func (w *writer) hunk(changes []change) {
	first, last := changes[0], changes[len(changes)-1]
	before := min(w.options.Context, first.oldStart)
	after := min(w.options.Context, len(w.old)-last.oldEnd)
	w.line("36", "@@ ", fmt.Sprintf("-%s +%s @@", span(first.oldStart-before, last.oldEnd+after), span(first.newStart-before, last.newEnd+after)))
	at := first.oldStart - before
	for _, c := range changes {
		for ; at < c.oldStart; at++ {
			w.line("", " ", w.old[at])
		}
		for ; at < c.oldEnd; at++ {
			w.line("31", "-", w.old[at])
		}
		for _, text := range w.new[c.newStart:c.newEnd] {
			w.line("32", "+", text)
		}
	}
	for ; at < last.oldEnd+after; at++ {
		w.line("", " ", w.old[at])
	}
}

// span writes a range of lines as `diff -u` does: numbered from 1, the count left out where it is 1.
func span(start, end int) string {
	switch end - start {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	default:
		return fmt.Sprintf("%d,%d", start+1, end-start)
	}
}

// change says that lines of the old text were replaced by lines of the new one; either may be none.
type change struct {
	oldStart, oldEnd, newStart, newEnd int
}

// compare returns the changes from a to b, in order, by Myers' algorithm in linear space.
func compare(a, b []string) []change {
	numbers := map[string]int{}
	number := func(list []string) []int {
		out := make([]int, len(list))
		for i, text := range list {
			n, ok := numbers[text]
			if !ok {
				n = len(numbers)
				numbers[text] = n
			}
			out[i] = n
		}
		return out
	}
	m := myers{a: number(a), b: number(b)}
	m.compare(0, len(a), 0, len(b))
	return slices.Clip(m.changes)
}

type myers struct {
	a, b    []int
	changes []change
}

func (m *myers) add(oldStart, oldEnd, newStart, newEnd int) {
	if oldStart == oldEnd && newStart == newEnd {
		return
	}
	if n := len(m.changes); n > 0 && m.changes[n-1].oldEnd == oldStart && m.changes[n-1].newEnd == newStart {
		m.changes[n-1].oldEnd, m.changes[n-1].newEnd = oldEnd, newEnd
		return
	}
	m.changes = append(m.changes, change{oldStart, oldEnd, newStart, newEnd})
}

func (m *myers) compare(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
		a0++
		b0++
	}
	for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
		a1--
		b1--
	}
	if a0 == a1 || b0 == b1 {
		m.add(a0, a1, b0, b1)
		return
	}
	x, y, ok := m.middle(a0, a1, b0, b1)
	if !ok || x == a0 && y == b0 || x == a1 && y == b1 {
		m.add(a0, a1, b0, b1)
		return
	}
	m.compare(a0, x, b0, y)
	m.compare(x, a1, y, b1)
}

// maxCost bounds the search for a shortest diff: texts that differ more are shown as replaced, not compared for hours.
const maxCost = 4000

// middle returns a point on a shortest path from (a0, b0) to (a1, b1), found from both ends at once.
func (m *myers) middle(a0, a1, b0, b1 int) (x, y int, ok bool) {
	n, k := a1-a0, b1-b0
	limit := min((n+k+1)/2, maxCost)
	size := 2*limit + 2
	forward, backward := make([]int, size), make([]int, size)
	delta := n - k
	for d := 0; d <= limit; d++ {
		for diagonal := -d; diagonal <= d; diagonal += 2 {
			x := reach(forward, diagonal, d, limit)
			y := x - diagonal
			for x < n && y < k && y >= 0 && m.a[a0+x] == m.b[b0+y] {
				x++
				y++
			}
			forward[diagonal+limit] = x
			back := delta - diagonal
			if delta%2 != 0 && back >= -(d-1) && back <= d-1 && x+backward[back+limit] >= n {
				return a0 + min(x, n), b0 + min(y, k), y >= 0
			}
		}
		for diagonal := -d; diagonal <= d; diagonal += 2 {
			x := reach(backward, diagonal, d, limit)
			y := x - diagonal
			for x < n && y < k && y >= 0 && m.a[a1-1-x] == m.b[b1-1-y] {
				x++
				y++
			}
			backward[diagonal+limit] = x
			ahead := delta - diagonal
			if delta%2 == 0 && ahead >= -d && ahead <= d && x+forward[ahead+limit] >= n {
				return a1 - min(x, n), b1 - min(y, k), y >= 0
			}
		}
	}
	return 0, 0, false
}

// reach returns how far a path of d steps gets on a diagonal before equal lines are followed.
func reach(v []int, diagonal, d, limit int) int {
	switch {
	case d == 0:
		return 0
	case diagonal == -d || diagonal != d && v[diagonal-1+limit] < v[diagonal+1+limit]:
		return v[diagonal+1+limit]
	default:
		return v[diagonal-1+limit] + 1
	}
}
