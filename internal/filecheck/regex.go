// Matching of POSIX expressions: leftmost, then longest, by bytes, with newlines as line ends. Go's regexp does the
// searching (it is linear in the input); what it cannot express is settled on the match it finds: back-references and
// word bounds by search.go, the captures of expressions with alternation by captures.go.

package filecheck

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

// regex is a compiled expression.
type regex struct {
	expression *expression
	searcher   *regexp.Regexp
	exact      bool // the searcher finds precisely the language; otherwise it finds a superset
}

// compileRegex parses and compiles text.
func compileRegex(text string, ignoreCase bool) (*regex, error) {
	expression, err := parseERE(text, ignoreCase)
	if err != nil {
		return nil, err
	}
	var translated strings.Builder
	translate(&translated, expression.root)
	searcher, err := regexp.Compile(translated.String())
	if err != nil {
		return nil, errTooComplex // every tree translates; only Go's limits on size can be exceeded
	}
	searcher.Longest()
	return &regex{
		expression: expression, searcher: searcher,
		exact: !expression.hasReference && !expression.hasWordBound,
	}, nil
}

// translate writes n in Go's syntax. A byte is the rune of the same number (see haystack); groups keep their numbers,
// except inside of a reference, where nothing is captured.
func translate(out *strings.Builder, n *node) {
	switch n.kind {
	case nodeSet:
		translateSet(out, n.set)
	case nodeLineStart:
		out.WriteString("(?m:^)")
	case nodeLineEnd:
		out.WriteString("(?m:$)")
	case nodeWordStart, nodeWordEnd:
		out.WriteString("(?:)")
	case nodeConcat:
		for _, child := range n.children {
			translate(out, child)
		}
	case nodeAlternation:
		out.WriteString("(?:")
		for i, child := range n.children {
			if i > 0 {
				out.WriteByte('|')
			}
			translate(out, child)
		}
		out.WriteByte(')')
	case nodeRepeat:
		out.WriteString("(?:")
		translate(out, n.children[0])
		out.WriteByte(')')
		translateCount(out, n.minimum, n.maximum)
	case nodeGroup:
		out.WriteByte('(')
		translate(out, n.children[0])
		out.WriteByte(')')
	case nodeReference:
		out.WriteString(withoutCaptures(n.children[0]))
	}
}

func translateCount(out *strings.Builder, minimum, maximum int) {
	switch {
	case minimum == 0 && maximum == unbounded:
		out.WriteByte('*')
	case minimum == 1 && maximum == unbounded:
		out.WriteByte('+')
	case maximum == unbounded:
		fmt.Fprintf(out, "{%d,}", minimum)
	default:
		fmt.Fprintf(out, "{%d,%d}", minimum, maximum)
	}
}

// withoutCaptures translates n with plain parentheses.
func withoutCaptures(n *node) string {
	var out strings.Builder
	translate(&out, stripGroups(n))
	return out.String()
}

func stripGroups(n *node) *node {
	if n.kind == nodeGroup {
		return &node{kind: nodeRepeat, minimum: 1, maximum: 1, children: []*node{stripGroups(n.children[0])}}
	}
	if len(n.children) == 0 {
		return n
	}
	copied := *n
	copied.children = make([]*node, len(n.children))
	for i, child := range n.children {
		copied.children[i] = stripGroups(child)
	}
	return &copied
}

func translateSet(out *strings.Builder, set *byteSet) {
	members, last := 0, 0
	for c, member := range set {
		if member {
			members++
			last = c
		}
	}
	switch members {
	case 0:
		out.WriteString(`[^\x{0}-\x{10FFFF}]`)
		return
	case 1:
		out.WriteString(regexp.QuoteMeta(string(rune(last))))
		return
	}
	out.WriteByte('[')
	for low := 0; low < len(set); low++ {
		if !set[low] {
			continue
		}
		high := low
		for high+1 < len(set) && set[high+1] {
			high++
		}
		fmt.Fprintf(out, `\x{%x}-\x{%x}`, low, high)
		low = high
	}
	out.WriteByte(']')
}

// haystack is the text searched, in the form that Go's regexp can search by bytes: each byte is one rune. ASCII text
// is that already; other text is widened, and offsets are translated.
type haystack struct {
	text  string
	wide  string // text with each byte as a rune; text itself where it is ASCII
	start []int  // offset in wide of each byte of text and of its end; nil where wide is text
}

func newHaystack(text string) *haystack {
	if isASCII(text) {
		return &haystack{text: text, wide: text}
	}
	h := &haystack{text: text, start: make([]int, 0, len(text)+1)}
	var wide strings.Builder
	for i := range len(text) {
		h.start = append(h.start, wide.Len())
		wide.WriteRune(rune(text[i]))
	}
	h.start = append(h.start, wide.Len())
	h.wide = wide.String()
	return h
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// find runs searcher over text[from:to] and gives the bounds of the match and its groups as offsets in text, -1 where a
// group took no part.
func (h *haystack) find(searcher *regexp.Regexp, from, to int) []int {
	if h.start == nil {
		found := searcher.FindStringSubmatchIndex(h.text[from:to])
		for i := range found {
			if found[i] >= 0 {
				found[i] += from
			}
		}
		return found
	}
	base := h.start[from]
	found := searcher.FindStringSubmatchIndex(h.wide[base:h.start[to]])
	for i, offset := range found {
		if offset >= 0 {
			wide := base + offset
			found[i] = sort.Search(len(h.start), func(k int) bool { return h.start[k] >= wide })
		}
	}
	return found
}

// match searches text[from:to], where from counts as the start of a line and to as the end of one. It gives the bounds
// of the leftmost-longest match, followed by those of the groups if captures is set; nil means no match.
func (r *regex) match(h *haystack, from, to int, captures bool) ([]int, error) {
	if !r.exact {
		return r.search(h, from, to)
	}
	found := h.find(r.searcher, from, to)
	if found != nil && captures && r.expression.hasAlternation && r.expression.groups > 0 {
		resolveCaptures(r.expression, h.text, from, to, found)
	}
	return found, nil
}
