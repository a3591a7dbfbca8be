package randommodel

// The two 16-bit float types, from float32, to the nearest and on a tie to the even one. Drawn weights are finite, so
// NaN and infinity need no care here.

import "math"

func bfloat16Bits(value float32) uint16 {
	bits := math.Float32bits(value)
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

func float16Bits(value float32) uint16 {
	// Scaled so that the last place of the float16 becomes 1, the number rounds as an integer would. Below 2^-14 a
	// float16's places have a fixed size; above, they follow the exponent.
	magnitude := math.Abs(float64(value))
	sign := uint16(math.Float32bits(value) >> 31 << 15)
	if magnitude == 0 {
		return sign
	}
	_, exponent := math.Frexp(magnitude)
	exponent = max(exponent, -13)
	rounded := math.RoundToEven(math.Ldexp(magnitude, 11-exponent))
	if exponent > 16 || exponent == 16 && rounded >= 1<<11 {
		return sign | 0x7c00
	}
	// A full mantissa is 1024 and more, its leading bit adding one to the exponent's field; a denormal's is less.
	return sign | uint16(int(rounded)+(exponent+13)<<10)
}
