package interp

// This file holds the exponential that softmax and the activations use: float64 arithmetic without branches in the
// middle, several times faster than math.Exp and, after rounding to float32, equal to it but for a few ties in a billion.

import "math"

const (
	log2E  = 1.44269504088896338700
	ln2Hi  = 6.93147180369123816490e-01
	ln2Lo  = 1.90821492927058770002e-10
	expMax = 709.7 // beyond, a float64 overflows
	expMin = -708.3
)

// exp64 returns e to the power x. Below expMin it is 0, as for every use that ends in a float32.
func exp64(x float64) float64 {
	if !(x > expMin) {
		if x != x {
			return x
		}
		return 0
	}
	if x > expMax {
		return math.Inf(1)
	}
	// x = n·ln 2 + r with |r| ≤ ln 2 / 2; adding and subtracting 1.5·2⁵² rounds to an integer.
	const shift = 0x1.8p52
	n := float64(x*log2E) + shift - shift
	r := (x - float64(n*ln2Hi)) - float64(n*ln2Lo)
	p := 1.0 / 39916800
	p = float64(p*r) + 1.0/3628800
	p = float64(p*r) + 1.0/362880
	p = float64(p*r) + 1.0/40320
	p = float64(p*r) + 1.0/5040
	p = float64(p*r) + 1.0/720
	p = float64(p*r) + 1.0/120
	p = float64(p*r) + 1.0/24
	p = float64(p*r) + 1.0/6
	p = float64(p*r) + 0.5
	p = float64(p*r) + 1
	p = float64(p*r) + 1
	return p * math.Float64frombits(uint64(int64(n)+1023)<<52)
}
