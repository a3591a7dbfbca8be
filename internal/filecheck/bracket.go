// Bracket expressions of POSIX regular expressions: [a-z_], [^"], [[:alpha:]], [[:<:]].

package filecheck

import "strings"

// characterClasses are the named classes of the C locale.
var characterClasses = map[string]func(c byte) bool{
	"alnum":  func(c byte) bool { return isLetter(c) || isDigit(c) },
	"alpha":  isLetter,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return c > ' ' && c < 0x7f },
	"lower":  func(c byte) bool { return c >= 'a' && c <= 'z' },
	"print":  func(c byte) bool { return c >= ' ' && c < 0x7f },
	"punct":  func(c byte) bool { return c > ' ' && c < 0x7f && !isLetter(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') },
	"upper":  func(c byte) bool { return c >= 'A' && c <= 'Z' },
	"xdigit": func(c byte) bool { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') },
}

func isLetter(c byte) bool { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// bracket parses what follows an opening bracket. A complemented set never holds the line break, because FileCheck
// matches with newlines as line ends.
func (p *ereParser) bracket() (*node, error) {
	for word, kind := range map[string]nodeKind{"[:<:]]": nodeWordStart, "[:>:]]": nodeWordEnd} {
		if strings.HasPrefix(p.text[p.position:], word) {
			p.position += len(word)
			p.result.hasWordBound = true
			return &node{kind: kind}, nil
		}
	}
	set := &byteSet{}
	complement := p.eat('^')
	// A bracket or a hyphen that comes first is a member, not an operator.
	if p.eat(']') {
		set[']'] = true
	} else if p.eat('-') {
		set['-'] = true
	}
	for p.more() && !p.see(']') && p.text[p.position:] != "-]" && !strings.HasPrefix(p.text[p.position:], "-]") {
		if err := p.bracketTerm(set); err != nil {
			return nil, err
		}
	}
	if p.eat('-') {
		set['-'] = true
	}
	if !p.eat(']') {
		return nil, errBrackets
	}
	if p.ignoreCase {
		set.foldCase()
	}
	if complement {
		for c := range set {
			set[c] = !set[c]
		}
		set['\n'] = false
	}
	return &node{kind: nodeSet, set: set}, nil
}

// bracketTerm parses a class, an equivalence class, a byte or a range, and adds it to set.
func (p *ereParser) bracketTerm(set *byteSet) error {
	if p.eat('[') {
		switch {
		case p.eat(':'):
			return p.namedClass(set)
		case p.eat('='):
			c, err := p.collatingElement('=')
			if err == nil {
				set[c] = true
			}
			return err
		}
		p.position--
	} else if p.see('-') {
		return errRange // a hyphen that neither starts nor ends the set
	}
	low, err := p.bracketByte()
	if err != nil {
		return err
	}
	high := low
	if p.see('-') && p.position+1 < len(p.text) && p.text[p.position+1] != ']' {
		p.position++
		if p.eat('-') {
			high = '-'
		} else if high, err = p.bracketByte(); err != nil {
			return err
		}
	}
	if low > high {
		return errRange
	}
	set.addRange(low, high)
	return nil
}

func (p *ereParser) namedClass(set *byteSet) error {
	end := strings.Index(p.text[p.position:], ":]")
	if end < 0 {
		return errBrackets
	}
	member, ok := characterClasses[p.text[p.position:p.position+end]]
	if !ok {
		return errClass
	}
	p.position += end + len(":]")
	for c := range set {
		if member(byte(c)) {
			set[c] = true
		}
	}
	return nil
}

// bracketByte parses one member: a byte, or [.x.].
func (p *ereParser) bracketByte() (byte, error) {
	if !p.more() {
		return 0, errBrackets
	}
	if strings.HasPrefix(p.text[p.position:], "[.") {
		p.position += len("[.")
		return p.collatingElement('.')
	}
	c := p.text[p.position]
	p.position++
	return c, nil
}

// collatingElement parses a single byte followed by closer and a bracket; longer names are not known.
func (p *ereParser) collatingElement(closer byte) (byte, error) {
	end := strings.Index(p.text[p.position:], string(closer)+"]")
	if end < 0 {
		return 0, errBrackets
	}
	if end != 1 {
		return 0, errCollation
	}
	c := p.text[p.position]
	p.position += end + len(".]")
	return c, nil
}
