package parser

// This file reads numbers: integers of any width, and decimal or hexadecimal floats of every format.

import (
	"math"
	"math/big"
	"strconv"

	"tpuir/ir"
)

func isHex(spelling []byte) bool { return len(spelling) > 1 && spelling[1] == 'x' }

// uint64Value returns the value of an integer token, if it fits.
func uint64Value(spelling []byte) (uint64, bool) {
	if len(spelling) == 1 {
		return uint64(spelling[0] - '0'), true
	}
	base := 10
	if isHex(spelling) {
		spelling, base = spelling[2:], 16
	}
	v, err := strconv.ParseUint(string(spelling), base, 64)
	return v, err == nil
}

// maxDigits bounds the digits of a literal; a type of the greatest width has fewer.
const maxDigits = 5_100_000

func bigValue(spelling []byte) (*big.Int, bool) {
	base := 10
	if isHex(spelling) {
		spelling, base = spelling[2:], 16
	}
	for len(spelling) > 1 && spelling[0] == '0' {
		spelling = spelling[1:]
	}
	if len(spelling) > maxDigits {
		return nil, false
	}
	return parseDigits(spelling, base)
}

// parseDigits halves long numbers, since package math/big reads them in quadratic time.
func parseDigits(digits []byte, base int) (*big.Int, bool) {
	const short = 4096
	if len(digits) <= short {
		return new(big.Int).SetString(string(digits), base)
	}
	low := len(digits) / 2
	high, ok := parseDigits(digits[:len(digits)-low], base)
	if !ok {
		return nil, false
	}
	rest, ok := parseDigits(digits[len(digits)-low:], base)
	if !ok {
		return nil, false
	}
	scale := new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(low)), nil)
	return high.Add(high.Mul(high, scale), rest), true
}

// integer is the value of a literal of an integer type or index: of up to 64 bits in low, else in wide.
type integer struct {
	low  uint64
	wide *big.Int
}

// integerValue reads a literal as a value of a type, the way MLIR does: a signless type takes what fits either reading of
// its bits. ok is false where the value does not fit, or where the spelling is no integer.
func integerValue(t ir.Type, negative bool, spelling []byte) (v integer, ok bool) {
	width, signed := uint32(64), true
	if it, isInt := t.(*ir.IntegerType); isInt {
		width, signed = it.Width, it.Signedness == ir.Signed
	}
	if class[spelling[0]]&isDigit == 0 {
		return v, false
	}
	if width > 64 {
		return wideIntegerValue(width, signed, negative, spelling)
	}
	low, ok := uint64Value(spelling)
	if !ok || width < 64 && low>>width != 0 {
		return v, false
	}
	if width == 0 {
		return v, !negative
	}
	sign := uint64(1) << (width - 1)
	switch {
	case negative:
		low = -low & (sign<<1 - 1)
		if low&sign == 0 {
			return v, false
		}
	case signed && low&sign != 0:
		return v, false
	}
	return integer{low: low}, true
}

func wideIntegerValue(width uint32, signed, negative bool, spelling []byte) (v integer, ok bool) {
	wide, ok := bigValue(spelling)
	if !ok || wide.BitLen() > int(width) {
		return v, false
	}
	if negative {
		limit := new(big.Int).Lsh(big.NewInt(1), uint(width-1))
		if wide.Sign() == 0 || wide.Cmp(limit) > 0 {
			return v, false
		}
		wide.Neg(wide)
	} else if signed && wide.Bit(int(width-1)) != 0 {
		return v, false
	}
	return integer{wide: wide}, true
}

// appendLittleEndian appends the value in that many bytes.
func (v integer) appendLittleEndian(dst []byte, t ir.Type) []byte {
	size := ir.DenseElementBytes(t)
	if v.wide == nil {
		low := v.low
		for range size {
			dst = append(dst, byte(low))
			low >>= 8
		}
		return dst
	}
	width := uint(t.(*ir.IntegerType).Width)
	wide := v.wide
	if wide.Sign() < 0 {
		wide = new(big.Int).Add(wide, new(big.Int).Lsh(big.NewInt(1), width))
	}
	at := len(dst)
	dst = append(dst, make([]byte, size)...)
	part := wide.FillBytes(dst[at:])
	for i, j := 0, len(part)-1; i < j; i, j = i+1, j-1 {
		part[i], part[j] = part[j], part[i]
	}
	return dst
}

// parseIntegerAttr reads an integer literal and its type; t is the type where it is known.
func (p *parser) parseIntegerAttr(t ir.Type, negative bool) (ir.Attribute, error) {
	literal := p.token
	p.advance()
	if t == nil {
		if !p.accept(tokenColon) {
			t = p.context.I64()
		} else {
			var err error
			if t, err = p.parseType(); err != nil {
				return nil, err
			}
		}
	}
	switch t := t.(type) {
	case *ir.FloatType:
		low, high, err := p.floatFromInteger(literal, negative, t)
		if err != nil {
			return nil, err
		}
		return p.context.FloatBits(t, low, high), nil
	case *ir.IntegerType:
		if negative && t.Signedness == ir.Unsigned {
			return nil, p.errorAt(literal.start, "negative integer literal not valid for unsigned integer type")
		}
	case *ir.IndexType:
	default:
		return nil, p.errorAt(literal.start, "integer literal not valid for specified type")
	}
	v, ok := integerValue(t, negative, p.text[literal.start:literal.end])
	if !ok {
		return nil, p.errorAt(literal.start, "integer constant out of range for attribute")
	}
	if v.wide != nil {
		return p.context.BigInt(t.(*ir.IntegerType), v.wide), nil
	}
	return p.context.Int(t, int64(v.low)), nil
}

func (p *parser) parseFloatAttr(t ir.Type, negative bool) (ir.Attribute, error) {
	value := floatValue(p.spelling(), negative)
	p.advance()
	if t == nil {
		if !p.accept(tokenColon) {
			t = p.context.F64()
		} else {
			var err error
			if t, err = p.parseType(); err != nil {
				return nil, err
			}
		}
	}
	f, ok := t.(*ir.FloatType)
	if !ok {
		return nil, p.error("floating point value not valid for specified type")
	}
	low, high := ir.EncodeFloat(f.Kind, value)
	return p.context.FloatBits(f, low, high), nil
}

// floatValue reads a decimal literal as a double, which MLIR rounds every format's values from.
func floatValue(spelling []byte, negative bool) float64 {
	value, _ := strconv.ParseFloat(string(spelling), 64) // too large a value gives infinity
	if negative {
		return math.Copysign(value, -1)
	}
	return value
}

// floatLiteral reads a token as an element of a dense constant of a float format and returns its bits.
func (p *parser) floatLiteral(literal token, negative bool, t *ir.FloatType) (low, high uint64, err error) {
	switch literal.kind {
	case tokenFloat:
		low, high = ir.DenseFloat(t.Kind, floatValue(p.text[literal.start:literal.end], negative))
		return low, high, nil
	case tokenInteger:
		return p.floatFromInteger(literal, negative, t)
	}
	return 0, 0, p.errorAt(literal.start, "expected floating point literal")
}

// floatFromInteger reads the hex of a float's bits.
func (p *parser) floatFromInteger(literal token, negative bool, t *ir.FloatType) (low, high uint64, err error) {
	spelling := p.text[literal.start:literal.end]
	if !isHex(spelling) {
		d := p.errorAt(literal.start, "unexpected decimal integer literal for a floating point value")
		if d, ok := d.(*ir.Diagnostic); ok {
			d.Note(nil, "add a trailing dot to make the literal a float")
		}
		return 0, 0, d
	}
	if negative {
		return 0, 0, p.errorAt(literal.start, "hexadecimal float literal should not have a leading minus")
	}
	value, ok := bigValue(spelling)
	if !ok || value.BitLen() > int(t.Width()) {
		return 0, 0, p.errorAt(literal.start, "hexadecimal float constant out of range for type")
	}
	low = new(big.Int).And(value, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	low, high = ir.CanonicalFloat(t.Kind, low, new(big.Int).Rsh(value, 64).Uint64())
	return low, high, nil
}
