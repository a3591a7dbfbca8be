package parser

// This file finds the end of hex digits, eight bytes at a time: weights written as text are megabytes of them.

import "encoding/binary"

const (
	highBits = 0x8080808080808080
	ones     = 0x0101010101010101
)

// hexLength returns how many bytes at the start of a text are hex digits.
func hexLength(text []byte) int {
	n := 0
	for len(text)-n >= 8 {
		if !allHex(binary.LittleEndian.Uint64(text[n:])) {
			break
		}
		n += 8
	}
	for n < len(text) && class[text[n]]&isHexDigit != 0 {
		n++
	}
	return n
}

// allHex reports whether eight bytes are all hex digits. In every byte the high bit carries the answer: adding to a byte
// below 0x80 what lifts the first good value to 0x80 sets it for all from that value on.
func allHex(x uint64) bool {
	if x&highBits != 0 {
		return false
	}
	digit := (x + (0x80-'0')*ones) &^ (x + (0x80-'9'-1)*ones)
	lower := x | 0x20*ones
	letter := (lower + (0x80-'a')*ones) &^ (lower + (0x80-'f'-1)*ones)
	return (digit|letter)&highBits == highBits
}

// hexDigits returns the digits of a `"0x…"` token, if it is one and they come in pairs.
func (p *parser) hexDigits(t token) ([]byte, bool) {
	text := p.text[t.start+1 : t.end-1]
	if len(text) < 2 || text[0] != '0' || text[1] != 'x' || len(text)%2 != 0 {
		return nil, false
	}
	digits := text[2:]
	if p.hexRun == [2]int{t.start + 3, t.end - 1} { // seen by the lexer
		return digits, true
	}
	return digits, hexLength(digits) == len(digits)
}
