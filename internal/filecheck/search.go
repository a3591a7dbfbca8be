// Search for expressions with back-references or word bounds. Go's regexp gives the places where a match may start and
// the furthest it may reach, with each reference replaced by the group it names; a backtracking matcher decides.

package filecheck

// The work of one search with back-references is exponential at worst. It is bounded by a number of steps, and more for
// each byte of the text searched, since every place may be worth a try.
const (
	maximumSteps        = 5_000_000
	maximumStepsPerByte = 100
)

// maximumDepth bounds how deep the matcher recurses, which grows with the length of a match.
const maximumDepth = 200_000

// backtracker tries all ways in which an expression matches at a place, in order of preference.
type backtracker struct {
	text     string
	from, to int // bounds of the text searched
	captures []int
	steps    int // left
	depth    int
	gaveUp   bool
}

// search finds the leftmost start with a match, and there the longest match.
func (r *regex) search(h *haystack, from, to int) ([]int, error) {
	b := &backtracker{
		text: h.text, from: from, to: to, captures: make([]int, 2*(r.expression.groups+1)),
		steps: maximumSteps + maximumStepsPerByte*(to-from),
	}
	for start := from; start <= to; {
		candidate := h.find(r.searcher, start, to)
		if candidate == nil {
			return nil, nil
		}
		found := b.longestAt(r.expression.root, candidate[0], candidate[1])
		switch {
		case b.gaveUp:
			return nil, errTooComplex
		case found != nil:
			return found, nil
		}
		start = candidate[0] + 1
	}
	return nil, nil
}

// longestAt gives the bounds of the longest match that starts at start, which does not reach beyond limit.
func (b *backtracker) longestAt(root *node, start, limit int) []int {
	var best []int
	for i := range b.captures {
		b.captures[i] = -1
	}
	b.try(root, start, func(end int) bool {
		if best == nil || end > best[1] {
			best = append(best[:0], b.captures...)
			best[0], best[1] = start, end
		}
		return end >= limit
	})
	return best
}

// try calls next with each end that n can reach from position, until next reports that it is content.
func (b *backtracker) try(n *node, position int, next func(end int) bool) bool {
	b.steps--
	b.depth++
	if b.steps < 0 || b.depth > maximumDepth {
		b.gaveUp = true
	}
	content := !b.gaveUp && b.tryNode(n, position, next)
	b.depth--
	return content
}

func (b *backtracker) tryNode(n *node, position int, next func(end int) bool) bool {
	switch n.kind {
	case nodeSet:
		return position < b.to && n.set[b.text[position]] && next(position+1)
	case nodeConcat:
		return b.tryAll(n.children, position, next)
	case nodeAlternation:
		for _, child := range n.children {
			if b.try(child, position, next) {
				return true
			}
		}
		return false
	case nodeRepeat:
		return b.tryRepeat(n, 0, position, next)
	case nodeGroup:
		return b.tryGroup(n, position, next)
	case nodeReference:
		return b.tryReference(n.number, position, next)
	}
	return atBound(n.kind, b.text, position, b.from, b.to) && next(position)
}

func (b *backtracker) tryAll(children []*node, position int, next func(end int) bool) bool {
	if len(children) == 0 {
		return next(position)
	}
	return b.try(children[0], position, func(end int) bool { return b.tryAll(children[1:], end, next) })
}

// tryRepeat prefers more rounds to fewer. A round that consumes nothing is not followed by another.
func (b *backtracker) tryRepeat(n *node, rounds, position int, next func(end int) bool) bool {
	if n.maximum == unbounded || rounds < n.maximum {
		again := b.try(n.children[0], position, func(end int) bool {
			if end == position && rounds >= n.minimum {
				return false
			}
			return b.tryRepeat(n, rounds+1, end, next)
		})
		if again {
			return true
		}
	}
	return rounds >= n.minimum && next(position)
}

func (b *backtracker) tryGroup(n *node, position int, next func(end int) bool) bool {
	slot := 2 * n.number
	oldStart, oldEnd := b.captures[slot], b.captures[slot+1]
	content := b.try(n.children[0], position, func(end int) bool {
		innerStart, innerEnd := b.captures[slot], b.captures[slot+1]
		b.captures[slot], b.captures[slot+1] = position, end
		if next(end) {
			return true
		}
		b.captures[slot], b.captures[slot+1] = innerStart, innerEnd
		return false
	})
	if !content {
		b.captures[slot], b.captures[slot+1] = oldStart, oldEnd
	}
	return content
}

// tryReference matches the bytes that the group captured; a group that took no part matches nowhere.
func (b *backtracker) tryReference(number, position int, next func(end int) bool) bool {
	start, end := b.captures[2*number], b.captures[2*number+1]
	if start < 0 {
		return false
	}
	length := end - start
	if position+length > b.to || b.text[position:position+length] != b.text[start:end] {
		return false
	}
	return next(position + length)
}

// atBound reports whether a zero-width node holds at position of text[from:to].
func atBound(kind nodeKind, text string, position, from, to int) bool {
	wordBefore := position > from && isWordByte(text[position-1])
	wordAfter := position < to && isWordByte(text[position])
	switch kind {
	case nodeLineStart:
		return position == from || text[position-1] == '\n'
	case nodeLineEnd:
		return position == to || text[position] == '\n'
	case nodeWordStart:
		return !wordBefore && wordAfter
	case nodeWordEnd:
		return wordBefore && !wordAfter
	}
	return false
}
