package parser

// This file cuts text into tokens. It works on bytes and allocates nothing: a token is a kind and two offsets.

import "bytes"

type tokenKind uint8

const (
	tokenEOF tokenKind = iota
	tokenError
	tokenBare    // bare identifier or keyword
	tokenIntType // i32, si8, ui4
	tokenInteger
	tokenFloat
	tokenString
	tokenAt          // @name or @"name"
	tokenHash        // #name
	tokenPercent     // %name
	tokenCaret       // ^name
	tokenExclamation // !name
	tokenArrow
	tokenColon
	tokenComma
	tokenEllipsis
	tokenEqual
	tokenGreater
	tokenLeftBrace
	tokenLeftParen
	tokenLeftSquare
	tokenLess
	tokenMinus
	tokenPlus
	tokenQuestion
	tokenRightBrace
	tokenRightParen
	tokenRightSquare
	tokenSlash
	tokenStar
	tokenBar
	tokenMetadataBegin // {-#
	tokenMetadataEnd   // #-}
)

var punctuation = map[string]tokenKind{"->": tokenArrow, ":": tokenColon, ",": tokenComma, "...": tokenEllipsis,
	"=": tokenEqual, ">": tokenGreater, "{": tokenLeftBrace, "(": tokenLeftParen, "[": tokenLeftSquare, "<": tokenLess,
	"-": tokenMinus, "+": tokenPlus, "?": tokenQuestion, "}": tokenRightBrace, ")": tokenRightParen,
	"]": tokenRightSquare, "/": tokenSlash, "*": tokenStar, "|": tokenBar, "{-#": tokenMetadataBegin, "#-}": tokenMetadataEnd}

// token is a piece of the text.
type token struct {
	kind       tokenKind
	start, end int
}

// Classes of bytes.
const (
	isBlank  = 1 << iota // between tokens
	isLetter             // a-z A-Z _
	isDigit
	isHexDigit
	isBareTail   // may follow in a bare identifier
	isSuffixTail // may follow in an identifier behind % # ! ^
)

var class = func() (table [256]uint8) {
	for c := range 256 {
		b := byte(c)
		letter := b|0x20 >= 'a' && b|0x20 <= 'z'
		digit := b >= '0' && b <= '9'
		if letter || b == '_' {
			table[c] |= isLetter
		}
		if digit {
			table[c] |= isDigit
		}
		if digit || b|0x20 >= 'a' && b|0x20 <= 'f' {
			table[c] |= isHexDigit
		}
		if letter || digit || b == '_' || b == '$' || b == '.' {
			table[c] |= isBareTail | isSuffixTail
		}
		if b == '-' {
			table[c] |= isSuffixTail
		}
		switch b {
		case ' ', '\t', '\n', '\r', 0:
			table[c] |= isBlank
		}
	}
	return table
}()

// single gives the kind of the bytes that are a token of their own.
var single = [256]tokenKind{':': tokenColon, ',': tokenComma, '=': tokenEqual, '>': tokenGreater, '(': tokenLeftParen,
	'[': tokenLeftSquare, '<': tokenLess, '+': tokenPlus, '?': tokenQuestion, '}': tokenRightBrace,
	')': tokenRightParen, ']': tokenRightSquare, '*': tokenStar, '|': tokenBar}

// advance makes the next token of the text the current one.
func (p *parser) advance() {
	text, at := p.text, p.token.end
	p.last = at
	for {
		for at < len(text) && class[text[at]]&isBlank != 0 {
			at++
		}
		if at+1 < len(text) && text[at] == '/' && text[at+1] == '/' {
			at = lineEnd(text, at)
			continue
		}
		break
	}
	p.token = p.lex(at)
}

// lineEnd returns the offset of the line end at or behind an offset.
func lineEnd(text []byte, at int) int {
	for at < len(text) {
		if text[at] == '\n' || text[at] == '\r' {
			return at
		}
		at++
	}
	return at
}

// lex returns the token that starts at an offset.
func (p *parser) lex(start int) token {
	text := p.text
	if start >= len(text) {
		return token{tokenEOF, len(text), len(text)}
	}
	c := text[start]
	if class[c]&isLetter != 0 {
		end := p.skip(start+1, isBareTail)
		if isIntType(text[start:end]) {
			return token{tokenIntType, start, end}
		}
		return token{tokenBare, start, end}
	}
	if class[c]&isDigit != 0 {
		return p.lexNumber(start)
	}
	if kind := single[c]; kind != tokenEOF {
		return token{kind, start, start + 1}
	}
	switch c {
	case '%':
		return p.lexSuffix(start, tokenPercent, "invalid SSA name")
	case '"':
		return p.lexString(start)
	case '#':
		if p.follows(start, "#-}") {
			return token{tokenMetadataEnd, start, start + 3}
		}
		return p.lexSuffix(start, tokenHash, "invalid attribute name")
	case '{':
		if p.follows(start, "{-#") {
			return token{tokenMetadataBegin, start, start + 3}
		}
		return token{tokenLeftBrace, start, start + 1}
	case '!':
		return p.lexSuffix(start, tokenExclamation, "invalid type identifier")
	case '^':
		return p.lexSuffix(start, tokenCaret, "invalid block name")
	case '@':
		return p.lexAt(start)
	case '-':
		if p.follows(start, "->") {
			return token{tokenArrow, start, start + 2}
		}
		return token{tokenMinus, start, start + 1}
	case '/':
		return token{tokenSlash, start, start + 1}
	case '.':
		if p.follows(start, "...") {
			return token{tokenEllipsis, start, start + 3}
		}
		return p.lexError(start+1, "expected three consecutive dots for an ellipsis")
	}
	return p.lexError(start, "unexpected character")
}

func (p *parser) follows(at int, text string) bool {
	return len(p.text)-at >= len(text) && string(p.text[at:at+len(text)]) == text
}

// skip returns the offset of the first byte at or behind an offset that is not of a class.
func (p *parser) skip(at int, wanted uint8) int {
	for at < len(p.text) && class[p.text[at]]&wanted != 0 {
		at++
	}
	return at
}

// lexError makes an error token: the error is kept, and stands for whatever the parser then says of the token.
func (p *parser) lexError(at int, message string) token {
	p.lexical = p.diagnosticAt(at, message)
	return token{tokenError, at, len(p.text)}
}

func isIntType(spelling []byte) bool {
	digits := 1
	if len(spelling) > 1 && spelling[1] == 'i' && (spelling[0] == 's' || spelling[0] == 'u') {
		digits = 2
	} else if spelling[0] != 'i' {
		return false
	}
	if len(spelling) == digits {
		return false
	}
	for _, c := range spelling[digits:] {
		if class[c]&isDigit == 0 {
			return false
		}
	}
	return true
}

func (p *parser) lexNumber(start int) token {
	text := p.text
	if p.follows(start, "0x") {
		if start+2 >= len(text) || class[text[start+2]]&isHexDigit == 0 {
			return token{tokenInteger, start, start + 1} // 0xi32 is 0 and xi32
		}
		return token{tokenInteger, start, p.skip(start+2, isHexDigit)}
	}
	end := p.skip(start, isDigit)
	if end >= len(text) || text[end] != '.' {
		return token{tokenInteger, start, end}
	}
	end = p.skip(end+1, isDigit)
	if end < len(text) && text[end]|0x20 == 'e' {
		exponent := end + 1
		if exponent < len(text) && (text[exponent] == '+' || text[exponent] == '-') {
			exponent++
		}
		if exponent < len(text) && class[text[exponent]]&isDigit != 0 {
			end = p.skip(exponent, isDigit)
		}
	}
	return token{tokenFloat, start, end}
}

// lexSuffix reads an identifier behind % # ! or ^: digits, or a letter or one of $._- and what may follow.
func (p *parser) lexSuffix(start int, kind tokenKind, message string) token {
	text := p.text
	if start+1 < len(text) {
		c := class[text[start+1]]
		if c&isDigit != 0 {
			return token{kind, start, p.skip(start+1, isDigit)}
		}
		if c&isSuffixTail != 0 {
			return token{kind, start, p.skip(start+1, isSuffixTail)}
		}
	}
	return p.lexError(start, message)
}

func (p *parser) lexAt(start int) token {
	text := p.text
	if start+1 < len(text) {
		if text[start+1] == '"' {
			t := p.lexString(start + 1)
			if t.kind == tokenString {
				t.kind, t.start = tokenAt, start
			}
			return t
		}
		if class[text[start+1]]&isLetter != 0 {
			return token{tokenAt, start, p.skip(start+1, isBareTail)}
		}
	}
	return p.lexError(start+1, "@ identifier expected to start with letter or '_'")
}

func (p *parser) lexString(start int) token {
	text := p.text
	first := start + 1
	if p.follows(first, "0x") {
		first += 2
		end := first + hexLength(text[first:])
		p.hexRun = [2]int{first, end}
		first = end
	}
	for at := first; at < len(text); at++ {
		switch text[at] {
		case '"':
			return token{tokenString, start, at + 1}
		case '\n', '\v', '\f':
			return p.lexError(at, `expected '"' in string literal`)
		case '\\':
			if at+1 < len(text) {
				next := text[at+1]
				if next == '"' || next == '\\' || next == 'n' || next == 't' {
					at++
					continue
				}
				if class[next]&isHexDigit != 0 && at+2 < len(text) && class[text[at+2]]&isHexDigit != 0 {
					at += 2
					continue
				}
			}
			return p.lexError(at, "unknown escape in string literal")
		}
	}
	return p.lexError(len(text), `expected '"' in string literal`)
}

// spelling returns the bytes of the current token.
func (p *parser) spelling() []byte { return p.text[p.token.start:p.token.end] }

// is reports whether the current token is that identifier.
func (p *parser) is(word string) bool {
	return p.token.kind == tokenBare && string(p.text[p.token.start:p.token.end]) == word
}

// reset makes the token at an offset the current one.
func (p *parser) reset(at int) {
	p.token.end = at
	p.advance()
}

// stringValue returns the text that a string token stands for.
func (p *parser) stringValue(t token) string {
	raw := p.text[t.start:t.end]
	if t.kind == tokenAt {
		raw = raw[1:]
		if raw[0] != '"' {
			return string(raw)
		}
	}
	return unquote(raw[1 : len(raw)-1])
}

func unquote(raw []byte) string {
	at := bytes.IndexByte(raw, '\\')
	if at < 0 {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for at >= 0 {
		out = append(out, raw[:at]...)
		switch c := raw[at+1]; c {
		case '"', '\\':
			out = append(out, c)
			raw = raw[at+2:]
		case 'n':
			out = append(out, '\n')
			raw = raw[at+2:]
		case 't':
			out = append(out, '\t')
			raw = raw[at+2:]
		default:
			out = append(out, hexValue(c)<<4|hexValue(raw[at+2]))
			raw = raw[at+3:]
		}
		at = bytes.IndexByte(raw, '\\')
	}
	return string(append(out, raw...))
}

func hexValue(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}
