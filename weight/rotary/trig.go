package rotary

// This file holds numpy's float32 sine and cosine, which are not correctly rounded: TPU-MLIR's tables have their bits.
// The argument is reduced to [-π/4, π/4] with three fused multiply-adds and put into a polynomial, of the sine or of the
// cosine by quadrant. Beyond the range in which that reduction is good, numpy takes the C library's functions.

import "math"

const (
	twoOverPi = 0x1.45f306p-1
	piHigh    = -0x1.921fb0p+00 // -π/2 in three parts
	piMiddle  = -0x1.5110b4p-22
	piLow     = -0x1.846988p-48
	// Adding and subtracting 1.5·2²³ rounds a float32 below 2²² to an integer.
	roundToInteger = 0x1.8p23

	cosineLimit = 71476.0625
	sineLimit   = 117435.992
)

// cosine returns numpy's cos(x).
func cosine(x float32) float32 {
	if !(float32(math.Abs(float64(x))) <= cosineLimit) {
		return float32(math.Cos(float64(x)))
	}
	return quarterWave(x, 1)
}

// sine returns numpy's sin(x).
func sine(x float32) float32 {
	if !(float32(math.Abs(float64(x))) <= sineLimit) {
		return float32(math.Sin(float64(x)))
	}
	return quarterWave(x, 0)
}

// quarterWave returns sin(x + quarters·π/2).
func quarterWave(x float32, quarters int32) float32 {
	q := float32(x*twoOverPi) + roundToInteger
	q -= roundToInteger
	r := fma(q, piHigh, x)
	r = fma(q, piMiddle, r)
	r = fma(q, piLow, r)
	quadrant := int32(q) + quarters
	result := polynomial(r, quadrant&1 == 1)
	if quadrant&2 != 0 {
		result = -result
	}
	return result
}

// polynomial returns the cosine or the sine of r in [-π/4, π/4].
func polynomial(r float32, cosine bool) float32 {
	square := r * r
	if cosine {
		p := fma(0x1.98e616p-16, square, -0x1.6c06dcp-10)
		p = fma(p, square, 0x1.55553cp-05)
		p = fma(p, square, -0.5)
		return fma(p, square, 1)
	}
	p := fma(0x1.7d3bbcp-19, square, -0x1.a06bbap-13)
	p = fma(p, square, 0x1.11119ap-07)
	p = fma(p, square, -0x1.555556p-03)
	p *= square // the polynomial's constant term is 0
	return fma(p, r, r)
}

// fma returns x·y + z rounded once to float32. The product is exact in float64; the sum is rounded to odd there, so that
// rounding it again to float32, which has far fewer bits, gives what one rounding would.
func fma(x, y, z float32) float32 {
	product := float64(x) * float64(y)
	sum := product + float64(z)
	// The error of the sum (Knuth): finite inputs only matter here.
	part := sum - product
	rest := (product - (sum - part)) + (float64(z) - part)
	bits := math.Float64bits(sum)
	if rest != 0 && bits&1 == 0 && !math.IsInf(sum, 0) {
		if (rest > 0) == (sum > 0) {
			bits++ // away from zero
		} else {
			bits-- // towards zero
		}
		sum = math.Float64frombits(bits)
	}
	return float32(sum)
}
