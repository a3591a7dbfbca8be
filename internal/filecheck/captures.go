// What each group captured, by the POSIX rule: of all ways to match the same text, the one in which the first part of
// a sequence is as long as possible, then the second, and so on. Go's regexp prefers the first alternative instead, so
// for expressions with alternation the captures are worked out here, on the text of the match alone.

package filecheck

import "slices"

// longestResolved bounds the matches whose captures are worked out, in bytes, since the work may be quadratic. Longer
// ones keep the choice of Go's regexp.
const longestResolved = 1 << 14

// resolver works out captures. Ends and reachability are remembered, so that its work is polynomial.
type resolver struct {
	text     string
	from, to int // bounds of the text searched, for anchors
	limit    int // end of the match
	captures []int
	ends     map[placeOfNode][]int
}

type placeOfNode struct {
	node     *node
	position int
}

// step is an item of a flattened sequence: a node to match, or the opening or closing of a group.
type step struct {
	node  *node
	opens bool
	slot  int // 0 for a node; otherwise the index into captures that is set
}

// resolveCaptures sets the group bounds in found, whose first two numbers are the bounds of the whole match.
func resolveCaptures(e *expression, text string, from, to int, found []int) {
	if found[1]-found[0] > longestResolved {
		return
	}
	r := &resolver{text: text, from: from, to: to, limit: found[1], captures: found, ends: map[placeOfNode][]int{}}
	for i := 2; i < len(found); i++ {
		found[i] = -1
	}
	r.assign(flatten(nil, e.root), found[0], found[1])
}

// flatten writes n as a sequence of steps, taking groups and concatenations apart.
func flatten(steps []step, n *node) []step {
	switch n.kind {
	case nodeConcat:
		for _, child := range n.children {
			steps = flatten(steps, child)
		}
		return steps
	case nodeGroup:
		steps = append(steps, step{opens: true, slot: 2 * n.number})
		steps = flatten(steps, n.children[0])
		return append(steps, step{slot: 2*n.number + 1})
	}
	return append(steps, step{node: n})
}

// endsOf lists the positions up to the limit that n can reach from position, furthest first.
func (r *resolver) endsOf(n *node, position int) []int {
	key := placeOfNode{n, position}
	if known, ok := r.ends[key]; ok {
		return known
	}
	var ends []int
	switch n.kind {
	case nodeSet:
		if position < r.limit && n.set[r.text[position]] {
			ends = []int{position + 1}
		}
	case nodeConcat:
		ends = []int{position}
		for _, child := range n.children {
			ends = r.endsFrom(child, ends)
		}
	case nodeAlternation:
		for _, child := range n.children {
			ends = union(ends, r.endsOf(child, position))
		}
	case nodeGroup:
		ends = r.endsOf(n.children[0], position)
	case nodeRepeat:
		ends = r.endsOfRepeat(n, position)
	default:
		if atBound(n.kind, r.text, position, r.from, r.to) {
			ends = []int{position}
		}
	}
	r.ends[key] = ends
	return ends
}

func (r *resolver) endsFrom(n *node, positions []int) []int {
	var ends []int
	for _, position := range positions {
		ends = union(ends, r.endsOf(n, position))
	}
	return ends
}

func (r *resolver) endsOfRepeat(n *node, position int) []int {
	reached := []int{position}
	for range n.minimum {
		reached = r.endsFrom(n.children[0], reached)
	}
	all := reached
	for round := n.minimum; n.maximum == unbounded || round < n.maximum; round++ {
		reached = r.endsFrom(n.children[0], reached)
		merged := union(all, reached)
		if len(merged) == len(all) {
			break
		}
		all = merged
	}
	return all
}

// union merges two lists that fall strictly.
func union(a, b []int) []int {
	merged := slices.Concat(a, b)
	slices.SortFunc(merged, func(x, y int) int { return y - x })
	return slices.Compact(merged)
}

// assign matches steps to exactly text[position:end], each step as long as what follows it permits.
func (r *resolver) assign(steps []step, position, end int) {
	w := &walk{resolver: r, steps: steps, end: end, dead: map[[2]int]bool{}}
	for i, s := range steps {
		if s.node == nil {
			r.captures[s.slot] = position
			continue
		}
		for _, next := range r.endsOf(s.node, position) {
			if w.fits(i+1, next) {
				r.assignInside(s.node, position, next)
				position = next
				break
			}
		}
	}
}

// walk asks whether a tail of steps can match from a position to exactly end.
type walk struct {
	*resolver
	steps []step
	end   int
	dead  map[[2]int]bool // pairs of step and position that cannot
}

func (w *walk) fits(first, position int) bool {
	for first < len(w.steps) && w.steps[first].node == nil {
		first++
	}
	if first == len(w.steps) {
		return position == w.end
	}
	key := [2]int{first, position}
	if position > w.end || w.dead[key] {
		return false
	}
	for _, next := range w.endsOf(w.steps[first].node, position) {
		if w.fits(first+1, next) {
			return true
		}
	}
	w.dead[key] = true
	return false
}

// assignInside sets the captures inside of a node that matches text[position:end].
func (r *resolver) assignInside(n *node, position, end int) {
	switch n.kind {
	case nodeAlternation:
		for _, child := range n.children {
			if slices.Contains(r.endsOf(child, position), end) {
				r.assign(flatten(nil, child), position, end)
				return
			}
		}
	case nodeRepeat:
		r.assignRounds(n, position, end)
	}
}

// assignRounds walks the rounds of a repetition, each as long as the rest permits; the last one's captures stay.
func (r *resolver) assignRounds(n *node, position, end int) {
	body := flatten(nil, n.children[0])
	if position == end && n.minimum > 0 {
		r.assign(body, position, end)
		return
	}
	for rounds := 0; position < end; rounds++ {
		rest := *n
		rest.minimum = max(n.minimum-rounds-1, 0)
		if n.maximum != unbounded {
			rest.maximum = n.maximum - rounds - 1
		}
		advanced := false
		for _, next := range r.endsOf(n.children[0], position) {
			if next > position && slices.Contains(r.endsOfRepeat(&rest, next), end) {
				r.assign(body, position, next)
				position, advanced = next, true
				break
			}
		}
		if !advanced {
			return
		}
	}
}
