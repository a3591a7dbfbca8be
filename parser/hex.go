package parser

// This file reads constants that are written as hex digits. They stay where they are in the text; their end is found 32
// bytes at a time, since weights written as text are megabytes of them.

import (
	"bytes"
	"encoding/binary"

	"tpuir/ir"
)

const (
	highBits = 0x8080808080808080
	ones     = 0x0101010101010101
)

// hexLength returns how many bytes at the start of a text are hex digits.
func hexLength(text []byte) int {
	n := 0
	for rest := text; len(rest) >= 32; rest = rest[32:] {
		good := hexBits(binary.LittleEndian.Uint64(rest)) & hexBits(binary.LittleEndian.Uint64(rest[8:])) &
			hexBits(binary.LittleEndian.Uint64(rest[16:])) & hexBits(binary.LittleEndian.Uint64(rest[24:]))
		if good != highBits {
			break
		}
		n += 32
	}
	for n < len(text) && class[text[n]]&isHexDigit != 0 {
		n++
	}
	return n
}

// hexBits sets the high bit of each of eight bytes that is a hex digit, and no other: adding to a byte below 0x80 what lifts
// the first good value to 0x80 sets it for all from that value on. The high bits that bytes have are taken away before, so
// that no sum reaches the next byte.
func hexBits(x uint64) uint64 {
	low := x &^ highBits
	digit := (low + (0x80-'0')*ones) &^ (low + (0x80-'9'-1)*ones)
	letter := (low | 0x20*ones) + (0x80-'a')*ones
	letter &^= (low | 0x20*ones) + (0x80-'f'-1)*ones
	return (digit | letter) &^ x & highBits
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

// denseHex makes the attribute of a string of hex digits, which is not decoded unless it is packed bits.
func (p *parser) denseHex(at int, l *literal, t ir.ShapedType) (ir.Attribute, error) {
	digits, ok := p.hexDigits(l.hex)
	if !ok {
		return nil, p.errorAt(l.hex.start, "expected string containing hex digits starting with `0x`")
	}
	shape, _ := t.Dims()
	count, fits := ir.NumElements(shape)
	size := int64(ir.DenseElementBytes(t.ElementType()))
	n := int64(len(digits) / 2)
	if it, ok := t.ElementType().(*ir.IntegerType); ok && it.Width == 1 {
		if a := p.densePacked(t, count, fits, digits); a != nil {
			return a, nil
		}
	} else if n == size {
		return p.context.DenseHex(t, true, digits), nil
	} else if fits && size > 0 && n%size == 0 && n/size == count {
		step := int(2 * size)
		if count > 0 && equalFold(digits[step:], digits[:len(digits)-step]) {
			return p.context.DenseHex(t, true, digits[:step]), nil
		}
		return p.context.DenseHex(t, false, digits), nil
	}
	return nil, p.errorfAt(at, "elements hex data size is invalid for provided type: '%s'", t)
}

// densePacked makes an attribute of bits, eight in a byte, or of one byte that stands for all; nil where the size is wrong.
func (p *parser) densePacked(t ir.ShapedType, count int64, fits bool, digits []byte) ir.Attribute {
	packed := make([]byte, len(digits)/2)
	for i := range packed {
		packed[i] = hexValue(digits[2*i])<<4 | hexValue(digits[2*i+1])
	}
	if len(packed) == 1 && (packed[0] == 0 || packed[0] == 0xFF) {
		return p.context.Dense(t, true, []byte{packed[0] & 1})
	}
	if !fits || count > 8*int64(len(packed)) || (count+7)/8 != int64(len(packed)) {
		return nil
	}
	data := make([]byte, count)
	for i := range data {
		data[i] = packed[i/8] >> (i % 8) & 1
	}
	return p.denseData(t, 1, count, data)
}

// equalFold compares hex digits of any case.
func equalFold(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	for i := range a {
		if a[i] != b[i] && hexValue(a[i]) != hexValue(b[i]) {
			return false
		}
	}
	return true
}
