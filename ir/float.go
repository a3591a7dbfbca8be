package ir

// This file turns numbers into the bits of the floating point formats.

import (
	"math"
	"math/bits"
)

// EncodeFloat rounds a value to a format, halves to even, and returns the bits, as LLVM's APFloat does. Too large a value
// becomes the format's infinity, or where it has none its NaN, or where it has neither its largest value; infinity itself
// becomes 0 there. F8E8M0FNU has no
// sign, but LLVM keeps one beside the value: it is bit 8.
func EncodeFloat(kind FloatKind, value float64) (low, high uint64) {
	switch kind {
	case F64:
		return math.Float64bits(value), 0
	case F32:
		return uint64(math.Float32bits(float32(value))), 0
	}
	f := &floatFormats[kind]
	sign := math.Float64bits(value) >> 63
	exponent := int(math.Float64bits(value) >> 52 & 0x7FF)
	mantissa := math.Float64bits(value) & (1<<52 - 1)
	switch {
	case exponent == 0x7FF && mantissa != 0:
		return f.assemble(sign, f.nan())
	case exponent == 0x7FF:
		return f.assemble(sign, f.overflow(true))
	case exponent == 0:
		exponent = 1
	default:
		mantissa |= 1 << 52
	}
	if mantissa == 0 {
		return f.zero(sign)
	}
	return f.round(sign, mantissa, exponent-1075)
}

// CanonicalFloat returns the bits that LLVM makes of given ones: an F80 that lacks the bit before the point, though its
// exponent asks for it, is NaN; one that has it, though its exponent is the smallest, has the next one.
func CanonicalFloat(kind FloatKind, low, high uint64) (uint64, uint64) {
	if kind != F80 {
		return low, high
	}
	const allOnes = 0x7FFF
	exponent, hasBit := high&allOnes, low>>63 != 0
	switch {
	case exponent == 0 && hasBit:
		high |= 1
	case exponent != 0 && !hasBit:
		high |= allOnes
	}
	return low, high
}

// DenseFloat is EncodeFloat for an element of a dense constant, where LLVM lets the sign of an F8E8M0FNU, which has no place
// of its own, fall on the exponent's highest bit.
func DenseFloat(kind FloatKind, value float64) (low, high uint64) {
	low, high = EncodeFloat(kind, value)
	if kind == F8E8M0FNU {
		low = low&0xFF | low>>8<<7
	}
	return low, high
}

// encoding is exponent and mantissa fields, without the sign.
type encoding struct {
	exponent uint64
	mantissa wide
}

func (f *floatFormat) maxExponent() uint64 { return 1<<f.exponentBits - 1 }

// round encodes mantissa · 2^scale, mantissa not 0.
func (f *floatFormat) round(sign, mantissa uint64, scale int) (low, high uint64) {
	length := bits.Len64(mantissa)
	exponent := scale + length - 1 // the value is 1.xxx · 2^exponent
	smallest := 1 - f.bias
	if f.specials == exponentOnly {
		smallest = -f.bias
	}
	// The last place that the format keeps, and how far the value's lies below it.
	last := max(exponent, smallest) - int(f.mantissaBits)
	drop := last - scale
	var kept wide
	if drop <= 0 {
		kept = shiftLeft(mantissa, uint(-drop))
	} else {
		kept = wide{low: roundShift(mantissa, drop)}
	}
	if kept.isZero() {
		if f.specials == exponentOnly {
			return 0, 0 // the smallest value there is: 2^-127
		}
		return f.zero(sign)
	}
	biased := uint64(0)
	if kept.bitLen() > int(f.mantissaBits)+1 { // rounded up to the next power of two
		kept = kept.shifted(1)
		exponent++
	}
	if f.specials == exponentOnly {
		if exponent+f.bias > 254 {
			return f.assemble(0, f.nan())
		}
		return uint64(max(exponent+f.bias, 0)) | sign<<8, 0
	}
	if kept.bitLen() == int(f.mantissaBits)+1 {
		biased = uint64(max(exponent, smallest) + f.bias)
	}
	e := encoding{biased, kept.below(f.mantissaBits)}
	if f.specials == explicitOneBit {
		e.mantissa = kept
	}
	if f.tooLarge(e) {
		return f.assemble(sign, f.overflow(false))
	}
	return f.assemble(sign, e)
}

func (f *floatFormat) tooLarge(e encoding) bool {
	top := f.maxExponent()
	switch f.specials {
	case ieeeSpecials, explicitOneBit:
		return e.exponent >= top
	case onlyNaN:
		return e.exponent > top || e.exponent == top && e.mantissa.low == 1<<f.mantissaBits-1
	}
	return e.exponent > top
}

// overflow is what too large values become.
func (f *floatFormat) overflow(infinite bool) encoding {
	switch f.specials {
	case ieeeSpecials:
		return encoding{exponent: f.maxExponent()}
	case explicitOneBit:
		return encoding{f.maxExponent(), wide{low: 1 << 63}}
	case finiteOnly:
		if infinite { // it has no bits in LLVM, either: none of them is set
			return encoding{}
		}
		return encoding{f.maxExponent(), wide{low: 1<<f.mantissaBits - 1}}
	}
	return f.nan()
}

func (f *floatFormat) nan() encoding {
	switch f.specials {
	case ieeeSpecials:
		return encoding{f.maxExponent(), wide{}.with(f.mantissaBits - 1)}
	case explicitOneBit:
		return encoding{f.maxExponent(), wide{low: 3 << 62}}
	case onlyNaN:
		return encoding{f.maxExponent(), wide{low: 1<<f.mantissaBits - 1}}
	case exponentOnly:
		return encoding{exponent: 0xFF}
	case negativeZero:
		return encoding{}
	}
	return encoding{f.maxExponent(), wide{low: 1<<f.mantissaBits - 1}}
}

func (f *floatFormat) zero(sign uint64) (low, high uint64) {
	switch f.specials {
	case negativeZero:
		return 0, 0
	case exponentOnly:
		return 0, 0
	}
	return f.assemble(sign, encoding{})
}

func (f *floatFormat) assemble(sign uint64, e encoding) (low, high uint64) {
	if f.specials == exponentOnly {
		return e.exponent, 0
	}
	if f.specials == negativeZero && e == (encoding{}) {
		sign = 1 // the only NaN
	}
	stored := f.mantissaBits
	if f.specials == explicitOneBit {
		stored++
	}
	head := sign<<f.exponentBits | e.exponent
	if stored >= 64 {
		return e.mantissa.low, e.mantissa.high | head<<(stored-64)
	}
	return e.mantissa.low | head<<stored, 0
}

// roundShift is v >> n, rounded to nearest, halves to even.
func roundShift(v uint64, n int) uint64 {
	if n > 64 {
		return 0
	}
	if n == 64 {
		if v > 1<<63 {
			return 1
		}
		return 0
	}
	kept := v >> n
	rest, half := v&(1<<n-1), uint64(1)<<(n-1)
	if rest > half || rest == half && kept&1 == 1 {
		kept++
	}
	return kept
}

func shiftLeft(v uint64, n uint) wide {
	if n >= 64 {
		return wide{high: v << (n - 64)}
	}
	return wide{low: v << n, high: v >> (64 - n)}
}

func (v wide) bitLen() int {
	if v.high != 0 {
		return 64 + bits.Len64(v.high)
	}
	return bits.Len64(v.low)
}
