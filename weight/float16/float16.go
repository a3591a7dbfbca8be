// Package float16 rounds float32 to the two 16-bit floating-point formats of the chips and widens them again, bit for
// bit as TPU-MLIR does: to nearest, ties to even, whatever an op's round_mode attribute says. A float32 denormal counts
// as zero where bfloat16 is made (the reference runs with denormals flushed); denormal halves are kept.
package float16

import "math"

// Format is one of the two 16-bit floating-point formats.
type Format uint8

const (
	BFloat16 Format = iota // 8 exponent bits, 7 mantissa bits: the upper half of a float32
	Float16                // IEEE 754 binary16: 5 exponent bits, 10 mantissa bits
)

// String returns the name MLIR gives the format: bf16 or f16.
func (f Format) String() string {
	if f == Float16 {
		return "f16"
	}
	return "bf16"
}

// Bits returns the 16 bits of x rounded to the format.
func (f Format) Bits(x float32) uint16 {
	if f == Float16 {
		return F16Bits(x)
	}
	return BF16Bits(x)
}

// Float32 widens 16 bits of the format. It is exact.
func (f Format) Float32(bits uint16) float32 {
	if f == Float16 {
		return F16ToFloat32(bits)
	}
	return BF16ToFloat32(bits)
}

// Round returns x rounded to the format, as a float32.
func (f Format) Round(x float32) float32 {
	if f == Float16 {
		return RoundF16(x)
	}
	return RoundBF16(x)
}

const (
	signMask     = 0x80000000
	exponentMask = 0x7f800000
)

// BF16Bits returns the bits of x rounded to bfloat16. A denormal becomes a zero of its sign; from 3.3961776e38 on the
// result is infinite; a NaN stays a quiet NaN.
func BF16Bits(x float32) uint16 {
	b := math.Float32bits(x)
	if b&exponentMask == 0 {
		return uint16(b >> 16 & 0x8000)
	}
	if b&^signMask > exponentMask {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// BF16ToFloat32 widens the bits of a bfloat16. It is exact, denormals included.
func BF16ToFloat32(bits uint16) float32 { return math.Float32frombits(uint32(bits) << 16) }

// RoundBF16 returns x rounded to bfloat16, as a float32.
func RoundBF16(x float32) float32 { return BF16ToFloat32(BF16Bits(x)) }

// F16Bits returns the bits of x rounded to binary16. From 65520 on the result is infinite; a NaN stays a quiet NaN.
func F16Bits(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &^= signMask
	switch {
	case b >= 0x477ff000: // 65520: halfway between the greatest half and 2^16
		if b > exponentMask {
			return sign | 0x7e00 | uint16(b>>13)&0x1ff
		}
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14, the least normal half
		// Adding 0.5 moves the units of a denormal half, 2^-24, to the last place of a float32, which rounds there.
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	const rebias = (127 - 15) << 23
	return sign | uint16((b-rebias+0xfff+b>>13&1)>>13)
}

// F16ToFloat32 widens the bits of a binary16. It is exact.
func F16ToFloat32(bits uint16) float32 {
	sign := uint32(bits&0x8000) << 16
	rest := uint32(bits & 0x7fff)
	switch {
	case rest >= 0x7c00:
		return math.Float32frombits(sign | exponentMask | rest<<13&0x7fffff)
	case rest < 0x400:
		return math.Float32frombits(sign | math.Float32bits(float32(rest)*0x1p-24))
	}
	return math.Float32frombits(sign | (rest<<13 + (127-15)<<23))
}

// RoundF16 returns x rounded to binary16, as a float32.
func RoundF16(x float32) float32 {
	b := math.Float32bits(x)
	magnitude := b &^ signMask
	if magnitude-0x38800000 < 0x477ff000-0x38800000 { // a normal half
		return math.Float32frombits((b + 0xfff + b>>13&1) &^ 0x1fff)
	}
	return F16ToFloat32(F16Bits(x))
}
