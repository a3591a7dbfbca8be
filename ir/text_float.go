package ir

// This file writes floating point values as MLIR does: six decimals where that reads back as the same value, else as
// many digits as the format holds, else the hex of the bits. The digits are those of LLVM's APFloat, which cuts before
// it rounds; every format goes the same exact way.

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// floatSpecials says which encodings of a format are not numbers.
type floatSpecials uint8

const (
	ieeeSpecials   floatSpecials = iota // an exponent of ones is an infinity or NaN
	onlyNaN                             // all ones but the sign is NaN, there is no infinity
	negativeZero                        // the encoding of -0 is NaN, there is nothing else
	finiteOnly                          // every encoding is a number
	exponentOnly                        // no sign, no mantissa, no zero; all ones is NaN
	explicitOneBit                      // as IEEE, but the leading one of the mantissa is stored (f80)
)

// floatFormat is the layout of a floating point format.
type floatFormat struct {
	mantissaBits uint32 // stored ones, without the implied leading one
	exponentBits uint32
	bias         int
	specials     floatSpecials
}

var floatFormats = [floatKindCount]floatFormat{
	F4E2M1FN:      {1, 2, 1, finiteOnly},
	F6E2M3FN:      {3, 2, 1, finiteOnly},
	F6E3M2FN:      {2, 3, 3, finiteOnly},
	F8E5M2:        {2, 5, 15, ieeeSpecials},
	F8E4M3:        {3, 4, 7, ieeeSpecials},
	F8E4M3FN:      {3, 4, 7, onlyNaN},
	F8E5M2FNUZ:    {2, 5, 16, negativeZero},
	F8E4M3FNUZ:    {3, 4, 8, negativeZero},
	F8E4M3B11FNUZ: {3, 4, 11, negativeZero},
	F8E3M4:        {4, 3, 3, ieeeSpecials},
	F8E8M0FNU:     {0, 8, 127, exponentOnly},
	BF16:          {7, 8, 127, ieeeSpecials},
	F16:           {10, 5, 15, ieeeSpecials},
	TF32:          {10, 8, 127, ieeeSpecials},
	F32:           {23, 8, 127, ieeeSpecials},
	F64:           {52, 11, 1023, ieeeSpecials},
	F80:           {63, 15, 16383, explicitOneBit},
	F128:          {112, 15, 16383, ieeeSpecials},
}

// precision returns the number of bits of a normal value's mantissa, the leading one included.
func (f *floatFormat) precision() int { return int(f.mantissaBits) + 1 }

// wide is an unsigned number of up to 128 bits.
type wide struct{ low, high uint64 }

func (v wide) isZero() bool { return v.low|v.high == 0 }

// below returns the lowest n bits.
func (v wide) below(n uint32) wide {
	switch {
	case n >= 128:
		return v
	case n >= 64:
		return wide{v.low, v.high & (1<<(n-64) - 1)}
	}
	return wide{v.low & (1<<n - 1), 0}
}

// shifted returns v >> n for n up to 127.
func (v wide) shifted(n uint32) wide {
	if n >= 64 {
		return wide{v.high >> (n - 64), 0}
	}
	if n == 0 {
		return v
	}
	return wide{v.low>>n | v.high<<(64-n), v.high >> n}
}

// with returns v with bit n set.
func (v wide) with(n uint32) wide {
	if n >= 64 {
		return wide{v.low, v.high | 1<<(n-64)}
	}
	return wide{v.low | 1<<n, v.high}
}

func (v wide) big() *big.Int {
	if v.high == 0 {
		return new(big.Int).SetUint64(v.low)
	}
	n := new(big.Int).SetUint64(v.high)
	return n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(v.low))
}

// floatParts is a finite value: ± mantissa · 2^exponent.
type floatParts struct {
	negative bool
	mantissa wide
	exponent int
}

// decompose takes an encoding apart; finite is false for infinities and NaNs.
func (f *floatFormat) decompose(encoding wide) (p floatParts, finite bool) {
	if f.specials == exponentOnly {
		e := encoding.low & 0xFF
		return floatParts{negative: encoding.low>>8 != 0, mantissa: wide{low: 1}, exponent: int(e) - f.bias}, e != 0xFF
	}
	stored := f.mantissaBits
	if f.specials == explicitOneBit {
		stored++
	}
	mantissa := encoding.below(stored)
	exponent := encoding.shifted(stored).below(f.exponentBits).low
	p.negative = encoding.shifted(stored+f.exponentBits).low&1 != 0
	ones := uint64(1)<<f.exponentBits - 1
	switch f.specials {
	case ieeeSpecials, explicitOneBit:
		if exponent == ones {
			return p, false
		}
	case onlyNaN:
		if exponent == ones && mantissa.low == 1<<stored-1 {
			return p, false
		}
	case negativeZero:
		if p.negative && exponent == 0 && mantissa.isZero() {
			return p, false
		}
	}
	if exponent == 0 {
		exponent = 1
	} else if f.specials != explicitOneBit {
		mantissa = mantissa.with(stored)
	}
	p.mantissa = mantissa
	p.exponent = int(exponent) - f.bias - int(f.mantissaBits)
	return p, true
}

// AppendFloat writes the value with these bits of a format. It reports whether it wrote the hex of the bits.
func AppendFloat(dst []byte, kind FloatKind, low, high uint64) (out []byte, hex bool) {
	f := &floatFormats[kind]
	low, high = CanonicalFloat(kind, low, high)
	width := floatWidths[kind]
	if f.specials == exponentOnly {
		width++ // the sign beside it
	}
	encoding := wide{low, high}.below(width)
	p, finite := f.decompose(encoding)
	if !finite {
		return appendEncoding(dst, encoding), true
	}
	if kind.readAsDouble() && !p.isDouble() {
		return appendEncoding(dst, encoding), true
	}
	start := len(dst)
	if p.negative {
		dst = append(dst, '-')
	}
	if p.mantissa.isZero() {
		return append(dst, "0.000000e+00"...), false
	}
	if !needsMoreThanSix(kind, encoding) {
		digits, exponent := p.decimal(6)
		dst = appendSixDecimals(dst, digits, exponent)
		if f.readsBack(kind, &p, encoding, dst[start:], digits, exponent) {
			return dst, false
		}
		dst = dst[:start]
		if p.negative {
			dst = append(dst, '-')
		}
	}
	digits, exponent := p.decimal(2 + f.precision()*59/196)
	dst, hasPoint := appendShortest(dst, digits, exponent, 2+f.precision()*59/196)
	if hasPoint {
		return dst, false
	}
	return appendEncoding(dst[:start], encoding), true
}

// readAsDouble reports whether a decimal of the format loses what a double does not hold: MLIR reads every decimal as one.
// mlir-opt writes such values with all digits nevertheless, and does not read back what it wrote.
func (k FloatKind) readAsDouble() bool { return k == F80 || k == F128 }

// isDouble reports whether the value is one that a double holds.
func (p *floatParts) isDouble() bool {
	if p.mantissa.isZero() {
		return true
	}
	zeros := bits.TrailingZeros64(p.mantissa.low)
	if p.mantissa.low == 0 {
		zeros = 64 + bits.TrailingZeros64(p.mantissa.high)
	}
	last := p.exponent + zeros // the powers of the last and of the first bit that are set
	first := p.exponent + p.mantissa.bitLen() - 1
	return first-last < 53 && first <= 1023 && last >= -1074
}

// appendEncoding writes `0x…` without leading zeros.
func appendEncoding(dst []byte, v wide) []byte {
	dst = append(dst, "0x"...)
	shift := 0
	if v.high != 0 {
		shift = 64 + (bits.Len64(v.high)-1)&^3
	} else if v.low != 0 {
		shift = (bits.Len64(v.low) - 1) &^ 3
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, upperHex[v.shifted(uint32(shift)).low&15])
	}
	return dst
}

// decimal returns the value as digits · 10^exponent with at most the given number of digits, no trailing zeros.
func (p *floatParts) decimal(precision int) (digits []byte, exponent int) {
	digits, exponent = p.cutDecimal((precision*196 + 58) / 59)
	digits, exponent = trimZeros(digits, exponent)
	if len(digits) <= precision {
		return digits, exponent
	}
	roundUp := digits[precision] >= '5'
	exponent += len(digits) - precision
	digits = digits[:precision]
	if roundUp {
		i := precision - 1
		for i >= 0 && digits[i] == '9' {
			i--
		}
		if i < 0 {
			return []byte{'1'}, exponent + precision
		}
		digits[i]++
		exponent += precision - 1 - i
		digits = digits[:i+1]
	}
	return trimZeros(digits, exponent)
}

func trimZeros(digits []byte, exponent int) ([]byte, int) {
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exponent++
	}
	return digits, exponent
}

// appendSixDecimals writes `d.dddddde±XX`.
func appendSixDecimals(dst, digits []byte, exponent int) []byte {
	exponent += len(digits) - 1
	dst = append(append(dst, digits[0], '.'), digits[1:]...)
	for i := len(digits); i < 7; i++ {
		dst = append(dst, '0')
	}
	if exponent < 0 {
		dst = append(dst, 'e', '-')
		exponent = -exponent
	} else {
		dst = append(dst, 'e', '+')
	}
	if exponent < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(exponent), 10)
}

// appendShortest writes digits · 10^exponent plain where that takes no more than three zeros, else as `d.dE±x`. It
// reports whether there is a point in it.
func appendShortest(dst, digits []byte, exponent, precision int) (out []byte, hasPoint bool) {
	const maxPadding = 3
	first := exponent + len(digits) - 1 // the power of the first digit
	scientific := false
	switch {
	case exponent >= 0:
		scientific = exponent > maxPadding || len(digits)+exponent > precision
	case first < 0:
		scientific = -first > maxPadding
	}
	if scientific {
		dst = append(dst, digits[0], '.')
		if len(digits) == 1 {
			dst = append(dst, '0')
		}
		dst = append(append(dst, digits[1:]...), 'E')
		if first >= 0 {
			dst = append(dst, '+')
		}
		return strconv.AppendInt(dst, int64(first), 10), true
	}
	if exponent >= 0 {
		dst = append(dst, digits...)
		for range exponent {
			dst = append(dst, '0')
		}
		return dst, false
	}
	if first >= 0 {
		return append(append(append(dst, digits[:first+1]...), '.'), digits[first+1:]...), true
	}
	dst = append(dst, "0."...)
	for range -first - 1 {
		dst = append(dst, '0')
	}
	return append(dst, digits...), true
}

// readsBack reports whether text, which is digits · 10^exponent, reads as the value that it was made from.
func (f *floatFormat) readsBack(kind FloatKind, p *floatParts, encoding wide, text, digits []byte, exponent int) bool {
	switch kind {
	case F64:
		v, err := strconv.ParseFloat(string(text), 64)
		return err == nil && math.Float64bits(v) == encoding.low
	case F32:
		v, err := strconv.ParseFloat(string(text), 32)
		return err == nil && uint64(math.Float32bits(float32(v))) == encoding.low
	}
	// Rounded to nearest, ties to even, the text gives the value if it lies between the midpoints to the neighbours.
	// All is taken times four, so that the midpoints are whole: 4M+2 above, and below 4M-2 or, where the neighbour
	// below has half the distance, 4M-1.
	decimal, _ := new(big.Int).SetString(string(digits), 10)
	decimal.Lsh(decimal, 2)
	mantissa := p.mantissa.big()
	isPower := mantissa.BitLen() == f.precision() && mantissa.TrailingZeroBits() == uint(f.precision()-1)
	hasNormalBelow := isPower && p.exponent > 1-f.bias-int(f.mantissaBits)
	even := mantissa.Bit(0) == 0
	quadruple := mantissa.Lsh(mantissa, 2)
	above := new(big.Int).Add(quadruple, big.NewInt(2))
	below := new(big.Int).Sub(quadruple, big.NewInt(2))
	if hasNormalBelow {
		below.Add(below, big.NewInt(1))
	}
	up, down := compareScaled(decimal, exponent, above, p.exponent), compareScaled(decimal, exponent, below, p.exponent)
	return (up < 0 || up == 0 && even) && (down > 0 || down == 0 && (even || isPower))
}

// compareScaled compares a·10^x with b·2^y.
func compareScaled(a *big.Int, x int, b *big.Int, y int) int {
	left, right := new(big.Int).Set(a), new(big.Int).Set(b)
	if x >= 0 {
		left.Mul(left, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(x)), nil))
	} else {
		right.Mul(right, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-x)), nil))
	}
	if y >= 0 {
		right.Lsh(right, uint(y))
	} else {
		left.Lsh(left, uint(-y))
	}
	return left.Cmp(right)
}
