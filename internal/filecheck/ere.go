// Parser of POSIX extended regular expressions as LLVM's regex library reads them. It differs from what Go's regexp
// reads: a backslash before a letter means the letter itself (\d is "d"), a backslash inside brackets is a plain
// character, \1…\9 and \g{N} refer back to a group, counts go to 255, and matching is by bytes.

package filecheck

import (
	"errors"
	"strings"
)

// maximumRepeat is the largest count in braces (RE_DUP_MAX of POSIX).
const maximumRepeat = 255

// unbounded is the maximum of a repetition without an upper limit.
const unbounded = -1

// maximumNesting bounds the depth of groups, so that a hostile pattern cannot exhaust the stack.
const maximumNesting = 500

// maximumExpansion bounds the positions that nested counted repetitions would expand to.
const maximumExpansion = 1 << 20

// Errors of a malformed expression, with the words of POSIX regerror.
var (
	errEmptyExpression = errors.New("empty (sub)expression")
	errBadRepeat       = errors.New("repetition-operator operand invalid")
	errBadCount        = errors.New("invalid repetition count(s)")
	errBraces          = errors.New("braces not balanced")
	errParentheses     = errors.New("parentheses not balanced")
	errBrackets        = errors.New("brackets ([ ]) not balanced")
	errRange           = errors.New("invalid character range")
	errClass           = errors.New("invalid character class")
	errCollation       = errors.New("invalid collating element")
	errTrailing        = errors.New("trailing backslash (\\)")
	errBackReference   = errors.New("invalid backreference number")
	errTooComplex      = errors.New("regular expression is too complex")
)

type nodeKind uint8

const (
	nodeSet         nodeKind = iota // one byte out of a set
	nodeLineStart                   // ^
	nodeLineEnd                     // $
	nodeWordStart                   // [[:<:]]
	nodeWordEnd                     // [[:>:]]
	nodeConcat                      // children in order
	nodeAlternation                 // one of the children
	nodeRepeat                      // the only child, minimum to maximum times
	nodeGroup                       // the only child, captured as number
	nodeReference                   // what group number captured
)

// node is a vertex of the syntax tree.
type node struct {
	kind             nodeKind
	set              *byteSet
	children         []*node
	minimum, maximum int
	number           int
}

// byteSet is a set of byte values.
type byteSet [256]bool

func (s *byteSet) addRange(low, high byte) {
	for c := int(low); c <= int(high); c++ {
		s[c] = true
	}
}

// foldCase adds the other case of each ASCII letter.
func (s *byteSet) foldCase() {
	for c := byte('a'); c <= 'z'; c++ {
		upper := c - 'a' + 'A'
		either := s[c] || s[upper]
		s[c], s[upper] = either, either
	}
}

// expression is a parsed regular expression.
type expression struct {
	root           *node
	groups         int
	hasReference   bool
	hasWordBound   bool
	hasAlternation bool
}

type ereParser struct {
	text       string
	position   int
	depth      int
	ignoreCase bool
	closed     map[int]*node // groups that are complete, which a reference may name
	result     expression
}

// parseERE parses text. With ignoreCase each letter stands for both its cases.
func parseERE(text string, ignoreCase bool) (*expression, error) {
	p := &ereParser{text: text, ignoreCase: ignoreCase, closed: map[int]*node{}}
	if text == "" {
		return nil, errEmptyExpression
	}
	root, err := p.alternation()
	if err != nil {
		return nil, err
	}
	if p.position < len(text) {
		return nil, errParentheses
	}
	if expandedSize(root) > maximumExpansion {
		return nil, errTooComplex
	}
	p.result.root = root
	return &p.result, nil
}

// expandedSize is the number of positions of n with its counted repetitions written out.
func expandedSize(n *node) int {
	size := 1
	for _, child := range n.children {
		size = min(size+expandedSize(child), maximumExpansion+1)
	}
	if n.kind == nodeRepeat {
		size *= max(n.minimum, n.maximum, 1)
	}
	return min(size, maximumExpansion+1)
}

func (p *ereParser) more() bool { return p.position < len(p.text) }

func (p *ereParser) see(c byte) bool { return p.more() && p.text[p.position] == c }

func (p *ereParser) eat(c byte) bool {
	if !p.see(c) {
		return false
	}
	p.position++
	return true
}

func (p *ereParser) digitAt(position int) bool {
	return position < len(p.text) && p.text[position] >= '0' && p.text[position] <= '9'
}

// alternation parses branches up to a closing parenthesis or the end.
func (p *ereParser) alternation() (*node, error) {
	var branches []*node
	for {
		branch, err := p.branch()
		if err != nil {
			return nil, err
		}
		branches = append(branches, branch)
		if !p.eat('|') {
			break
		}
	}
	if len(branches) == 1 {
		return branches[0], nil
	}
	p.result.hasAlternation = true
	return &node{kind: nodeAlternation, children: branches}, nil
}

func (p *ereParser) branch() (*node, error) {
	concat := &node{kind: nodeConcat}
	for p.more() && !p.see('|') && (!p.see(')') || p.depth == 0) {
		piece, err := p.repeated()
		if err != nil {
			return nil, err
		}
		concat.children = append(concat.children, piece)
	}
	for _, child := range concat.children {
		if !(child.kind == nodeRepeat && child.maximum == 0) { // a{0} leaves nothing
			return concat, nil
		}
	}
	return nil, errEmptyExpression
}

// repeatFollows reports whether the next bytes are a repetition operator. A brace without a digit is a plain byte.
func (p *ereParser) repeatFollows() bool {
	return p.see('*') || p.see('+') || p.see('?') || (p.see('{') && p.digitAt(p.position+1))
}

func (p *ereParser) repeated() (*node, error) {
	atom, err := p.atom()
	if err != nil {
		return nil, err
	}
	if !p.repeatFollows() {
		return atom, nil
	}
	if atom.kind == nodeLineStart {
		return nil, errBadRepeat
	}
	result := &node{kind: nodeRepeat, children: []*node{atom}, maximum: unbounded}
	operator := p.text[p.position]
	p.position++
	switch operator {
	case '+':
		result.minimum = 1
	case '?':
		result.maximum = 1
	case '{':
		if result.minimum, result.maximum, err = p.bounds(); err != nil {
			return nil, err
		}
	}
	if p.repeatFollows() {
		return nil, errBadRepeat
	}
	return result, nil
}

// bounds parses what follows an opening brace.
func (p *ereParser) bounds() (minimum, maximum int, err error) {
	if minimum, err = p.count(); err != nil {
		return 0, 0, err
	}
	maximum = minimum
	if p.eat(',') {
		maximum = unbounded
		if p.digitAt(p.position) {
			if maximum, err = p.count(); err != nil {
				return 0, 0, err
			}
			if minimum > maximum {
				return 0, 0, errBadCount
			}
		}
	}
	if p.eat('}') {
		return minimum, maximum, nil
	}
	if strings.IndexByte(p.text[p.position:], '}') < 0 {
		return 0, 0, errBraces
	}
	return 0, 0, errBadCount
}

func (p *ereParser) count() (int, error) {
	value := 0
	for p.digitAt(p.position) {
		value = value*10 + int(p.text[p.position]-'0')
		if value > maximumRepeat {
			return 0, errBadCount
		}
		p.position++
	}
	return value, nil
}

func (p *ereParser) atom() (*node, error) {
	c := p.text[p.position]
	p.position++
	switch c {
	case '(':
		return p.group()
	case ')':
		return nil, errParentheses
	case '^':
		return &node{kind: nodeLineStart}, nil
	case '$':
		return &node{kind: nodeLineEnd}, nil
	case '|':
		return nil, errEmptyExpression
	case '*', '+', '?':
		return nil, errBadRepeat
	case '.':
		set := &byteSet{}
		set.addRange(0, 255)
		set['\n'] = false
		return &node{kind: nodeSet, set: set}, nil
	case '[':
		return p.bracket()
	case '\\':
		return p.escape()
	case '{':
		if p.digitAt(p.position) {
			return nil, errBadRepeat
		}
	}
	return p.literal(c), nil
}

func (p *ereParser) literal(c byte) *node {
	set := &byteSet{}
	set[c] = true
	if p.ignoreCase {
		set.foldCase()
	}
	return &node{kind: nodeSet, set: set}
}

func (p *ereParser) group() (*node, error) {
	p.result.groups++
	group := &node{kind: nodeGroup, number: p.result.groups}
	if p.depth++; p.depth > maximumNesting {
		return nil, errTooComplex
	}
	if p.see(')') {
		group.children = []*node{{kind: nodeConcat}}
	} else {
		if !p.more() {
			return nil, errParentheses
		}
		inner, err := p.alternation()
		if err != nil {
			return nil, err
		}
		group.children = []*node{inner}
	}
	p.depth--
	if !p.eat(')') {
		return nil, errParentheses
	}
	p.closed[group.number] = group
	return group, nil
}

// escape parses what follows a backslash: a reference or a plain byte.
func (p *ereParser) escape() (*node, error) {
	if !p.more() {
		return nil, errTrailing
	}
	c := p.text[p.position]
	p.position++
	if c >= '1' && c <= '9' {
		return p.reference(int(c - '0'))
	}
	if c == 'g' && p.see('{') && p.digitAt(p.position+1) {
		p.position++
		number, err := p.count()
		if err != nil || !p.eat('}') {
			return nil, errBackReference
		}
		return p.reference(number)
	}
	return p.literal(c), nil
}

func (p *ereParser) reference(number int) (*node, error) {
	group, ok := p.closed[number]
	if !ok {
		return nil, errBackReference
	}
	p.result.hasReference = true
	// The child is the group referred to: what a search that knows no captures may put in place of the reference.
	return &node{kind: nodeReference, number: number, children: []*node{group}}, nil
}
