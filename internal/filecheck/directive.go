// Directives: where in a check file a prefix stands, and what kind of check follows it.

package filecheck

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

type directiveKind uint8

const (
	kindNone directiveKind = iota
	kindPlain
	kindNext
	kindSame
	kindNot
	kindDAG
	kindLabel
	kindEmpty
	kindComment
	kindEndOfFile
	kindMisspelled
	kindBadNot
	kindBadCount
)

// suffixes are the words after a prefix and a hyphen.
var suffixes = []struct {
	word string
	kind directiveKind
}{
	{"NEXT", kindNext}, {"SAME", kindSame}, {"NOT", kindNot},
	{"DAG", kindDAG}, {"LABEL", kindLabel}, {"EMPTY", kindEmpty},
}

// directive is the head of a check: its kind, and how often it has to match.
type directive struct {
	kind    directiveKind
	count   int
	literal bool // with {LITERAL}: the pattern has no special characters
}

// describe names the directive in reports.
func (d directive) describe(prefix string) string {
	if d.kind == kindEndOfFile {
		return "implicit EOF"
	}
	name := prefix
	if d.count > 1 {
		name += "-COUNT"
	}
	for _, suffix := range suffixes {
		if suffix.kind == d.kind {
			name += "-" + suffix.word
		}
	}
	if d.literal {
		name += "{LITERAL}"
	}
	return name
}

// abbreviation names the directive in labels of the input dump.
func (d directive) abbreviation() string {
	switch d.kind {
	case kindPlain:
		if d.count > 1 {
			return "count"
		}
		return "check"
	case kindEndOfFile:
		return "eof"
	}
	for _, suffix := range suffixes {
		if suffix.kind == d.kind {
			return strings.ToLower(suffix.word)
		}
	}
	return "check"
}

// scanner finds the directives of a check file, in order.
type scanner struct {
	rest     piece
	prefixes []string // longest first, so that of two prefixes at one place the longer one counts
	comments []string
}

func newScanner(text *source, check, comment []string) *scanner {
	all := slices.Concat(check, comment)
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return &scanner{rest: text.whole(), prefixes: all, comments: comment}
}

// found is a directive and its place.
type found struct {
	directive
	prefix piece
	line   int
	after  piece // what follows the colon, or what a malformed directive trips over
}

// next advances to the following directive; false means that there is none.
func (s *scanner) next() (found, bool) {
	for {
		prefix, ok := s.nextPrefix()
		if !ok {
			return found{}, false
		}
		text := prefix.source.text
		if prefix.start == 0 || !isPrefixByte(text[prefix.start-1]) {
			head, after := s.classify(prefix, piece{prefix.source, prefix.end, len(text)})
			if head.kind != kindNone {
				s.rest = after
				line, _ := prefix.source.position(prefix.start)
				return found{directive: head, prefix: prefix, line: line, after: after}, true
			}
		}
		end := prefix.end
		for end < len(text) && isPrefixByte(text[end]) {
			end++
		}
		s.rest = piece{prefix.source, end, len(text)}
	}
}

// nextPrefix finds the first prefix in the rest, without regard to what surrounds it.
func (s *scanner) nextPrefix() (piece, bool) {
	best, length := -1, 0
	text := s.rest.String()
	for _, prefix := range s.prefixes {
		if at := strings.Index(text, prefix); at >= 0 && (best < 0 || at < best) {
			best, length = at, len(prefix)
			text = text[:min(best+length, len(text))] // a later one is of no interest
		}
	}
	if best < 0 {
		return piece{}, false
	}
	return s.rest.from(best).upTo(length), true
}

// classify reads what follows a prefix.
func (s *scanner) classify(prefix, rest piece) (directive, piece) {
	if slices.Contains(s.comments, prefix.String()) {
		if rest.take(":") {
			return directive{kind: kindComment}, rest
		}
		return directive{}, rest
	}
	if rest.startsWith(":") || rest.startsWith("{") {
		return modifiers(directive{kind: kindPlain, count: 1}, rest)
	}
	misspelled := rest.take("_")
	if !misspelled && !rest.take("-") {
		return directive{}, rest
	}
	head, after := suffixed(rest)
	if misspelled && head.kind != kindNone {
		head.kind = kindMisspelled
	}
	return head, after
}

// suffixed reads the word after the hyphen.
func suffixed(rest piece) (directive, piece) {
	if rest.take("COUNT-") {
		return counted(rest)
	}
	for _, other := range []string{"DAG", "NEXT", "SAME", "EMPTY"} {
		if rest.startsWith(other+"-NOT:") || rest.startsWith("NOT-"+other+":") {
			return directive{kind: kindBadNot}, rest
		}
	}
	for _, suffix := range suffixes {
		if rest.take(suffix.word) {
			return modifiers(directive{kind: suffix.kind, count: 1}, rest)
		}
	}
	return directive{}, rest
}

// counted reads the number of a COUNT directive. A bad number is reported where it stands, or behind it where it is a
// number at least.
func counted(rest piece) (directive, piece) {
	text := rest.String()
	digits := 0
	if strings.HasPrefix(text, "-") {
		digits = 1
	}
	for digits < len(text) && isDigit(text[digits]) {
		digits++
	}
	count, err := strconv.ParseInt(text[:digits], 10, 64)
	if err != nil {
		return directive{kind: kindBadCount}, rest
	}
	rest = rest.from(digits)
	if count <= 0 || count > math.MaxInt32 || (!rest.startsWith(":") && !rest.startsWith("{")) {
		return directive{kind: kindBadCount}, rest
	}
	return modifiers(directive{kind: kindPlain, count: int(count)}, rest)
}

// modifiers reads an optional list in braces, and the colon.
func modifiers(head directive, rest piece) (directive, piece) {
	if rest.take(":") {
		return head, rest
	}
	if !rest.take("{") {
		return directive{}, rest
	}
	for {
		rest = trimSpace(rest)
		if !rest.take("LITERAL") {
			return directive{}, rest
		}
		head.literal = true
		rest = trimSpace(rest)
		if !rest.take(",") {
			break
		}
	}
	if !rest.take("}:") {
		return directive{}, rest
	}
	return head, rest
}

// trimSpace drops leading white space, line breaks too.
func trimSpace(p piece) piece {
	return p.from(p.length() - len(strings.TrimLeft(p.String(), " \t\n\v\f\r")))
}
