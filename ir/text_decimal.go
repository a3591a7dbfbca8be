package ir

// This file turns binary floating point values into decimal digits, exactly. Models are full of such values, so that the
// usual ones take no big numbers, and the others none that are made anew.

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"sync"
)

// needsMoreThanSix reports whether it is sure that no six digits read back as the value.
func needsMoreThanSix(kind FloatKind, encoding wide) bool {
	var text [32]byte
	var shortest []byte
	switch kind {
	case F64:
		shortest = strconv.AppendFloat(text[:0], math.Float64frombits(encoding.low), 'e', -1, 64)
	case F32:
		shortest = strconv.AppendFloat(text[:0], float64(math.Float32frombits(uint32(encoding.low))), 'e', -1, 32)
	default:
		return false
	}
	digits := 0
	for _, c := range shortest {
		if c == 'e' {
			break
		}
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return digits > 6
}

// cutDecimal returns the value as digits · 10^exponent, cut to about the given number of bits as LLVM's APFloat does.
func (p *floatParts) cutDecimal(need int) (digits []byte, exponent int) {
	if p.mantissa.high == 0 {
		if n, exponent, ok := smallDecimal(p.mantissa.low, p.exponent); ok {
			cut := cutDigits(bits.Len64(n), need)
			for range cut {
				n /= 10
			}
			return strconv.AppendUint(make([]byte, 0, 32), n, 10), exponent + cut
		}
	}
	scratch := decimalScratches.Get().(*decimalScratch)
	defer decimalScratches.Put(scratch)
	return scratch.decimal(p, need)
}

// cutDigits returns how many digits go from a number of that many bits.
func cutDigits(length, need int) int { return max(0, (length-need)*59/196) }

// smallDecimal returns mantissa · 2^binary as n · 10^exponent, where n has at most 64 bits.
func smallDecimal(mantissa uint64, binary int) (n uint64, exponent int, ok bool) {
	zeros := bits.TrailingZeros64(mantissa)
	n, binary = mantissa>>zeros, binary+zeros
	if binary >= 0 {
		return n << binary, 0, bits.Len64(n)+binary <= 64
	}
	if binary < -27 { // 5^27 is the last power of 64 bits
		return 0, 0, false
	}
	exponent = binary
	for range -binary {
		high, low := bits.Mul64(n, 5)
		if high != 0 {
			return 0, 0, false
		}
		n = low
	}
	return n, exponent, true
}

// decimalScratch holds the big numbers of one computation for the next.
type decimalScratch struct{ n, quotient, rest big.Int }

var decimalScratches = sync.Pool{New: func() any { return new(decimalScratch) }}

func (s *decimalScratch) decimal(p *floatParts, need int) (digits []byte, exponent int) {
	mantissa := p.mantissa.big()
	binary := p.exponent
	if zeros := mantissa.TrailingZeroBits(); zeros > 0 {
		mantissa.Rsh(mantissa, zeros)
		binary += int(zeros)
	}
	n := &s.n
	if binary >= 0 {
		n.Lsh(mantissa, uint(binary))
	} else {
		n.Mul(mantissa, power(5, -binary))
		exponent = binary
	}
	if cut := cutDigits(n.BitLen(), need); cut > 0 {
		s.quotient.QuoRem(n, power(10, cut), &s.rest)
		n = &s.quotient
		exponent += cut
	}
	if n.IsUint64() {
		return strconv.AppendUint(make([]byte, 0, 32), n.Uint64(), 10), exponent
	}
	return n.Append(make([]byte, 0, 32), 10), exponent
}

const keptPowers = 128

// keptPowersOf returns the first powers of a number, for reading.
func keptPowersOf(base int64) func() []*big.Int {
	return sync.OnceValue(func() []*big.Int {
		powers := make([]*big.Int, keptPowers)
		powers[0] = big.NewInt(1)
		for i := 1; i < len(powers); i++ {
			powers[i] = new(big.Int).Mul(powers[i-1], big.NewInt(base))
		}
		return powers
	})
}

var powersOf5, powersOf10 = keptPowersOf(5), keptPowersOf(10)

// power returns base^n for the bases 5 and 10, for reading.
func power(base int64, n int) *big.Int {
	if n < keptPowers {
		if base == 5 {
			return powersOf5()[n]
		}
		return powersOf10()[n]
	}
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(n)), nil)
}
