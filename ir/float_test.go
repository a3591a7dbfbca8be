package ir

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// valueOf decodes a finite encoding of a narrow format.
func valueOf(t *testing.T, f *floatFormat, encoding uint64) (float64, bool) {
	t.Helper()
	p, finite := f.decompose(wide{low: encoding})
	if !finite {
		return 0, false
	}
	value := math.Ldexp(float64(p.mantissa.low), p.exponent)
	if p.negative {
		value = -value
	}
	return value, true
}

// TestEncodeFloatNearest checks the narrow formats against a search through all their values.
func TestEncodeFloatNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for kind := F4E2M1FN; kind <= F16; kind++ {
		f := &floatFormats[kind]
		var positive []float64 // by rising encoding
		signBit := uint64(1) << (floatWidths[kind] - 1)
		if f.specials == exponentOnly {
			signBit = 255
		}
		for encoding := range signBit {
			if v, finite := valueOf(t, f, encoding); finite {
				positive = append(positive, v)
			}
		}
		check := func(value float64) {
			low, _ := EncodeFloat(kind, value)
			if want := nearest(f, positive, value); low != want {
				t.Errorf("%s: EncodeFloat(%g) = %#x, want %#x", floatNames[kind], value, low, want)
			}
		}
		last := len(positive) - 1
		for i := range last {
			if i > 2000 && i < last-2000 {
				continue
			}
			middle := (positive[i] + positive[i+1]) / 2
			check(positive[i])
			check(middle)
			check(math.Nextafter(middle, 0))
			check(math.Nextafter(middle, math.MaxFloat64))
		}
		for range 2000 {
			check(math.Ldexp(random.Float64(), random.IntN(40)-20))
		}
	}
}

// nearest finds the encoding of the closest of the values, an even one where two are as close. Beyond the greatest it is
// what the format has for that.
func nearest(f *floatFormat, positive []float64, value float64) uint64 {
	last := len(positive) - 1
	step := positive[last] - positive[last-1]
	if limit := positive[last] + step/2; value > limit || value == limit && last&1 == 1 && f.mantissaBits > 0 {
		low, _ := f.assemble(0, f.overflow(false))
		return low
	}
	above := min(sort.SearchFloat64s(positive, value), last)
	best := max(above-1, 0)
	distance, least := positive[above]-value, value-positive[best]
	if distance < least || distance == least && (above&1 == 0 || f.specials == exponentOnly) {
		best = above
	}
	return uint64(best)
}

func TestEncodeFloat(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		kind      FloatKind
		value     float64
		low, high uint64
	}{
		{F64, 0.1, 0x3FB999999999999A, 0},
		{F32, 0.1, 0x3DCCCCCD, 0},
		{F32, 1e39, 0x7F800000, 0},
		{F32, -inf, 0xFF800000, 0},
		{F32, 1e-45, 1, 0},
		{F32, 7e-46, 0, 0},
		{TF32, 1, 0x1FC00, 0},
		{BF16, 3.4e38, 0x7F80, 0},
		{BF16, math.Copysign(0, -1), 0x8000, 0},
		{F16, 65519.99, 0x7BFF, 0},
		{F16, 65520, 0x7C00, 0},
		{F80, 1, 0x8000000000000000, 0x3FFF},
		{F80, -2, 0x8000000000000000, 0xC000},
		{F80, inf, 0x8000000000000000, 0x7FFF},
		{F80, 5e-324, 0x8000000000000000, 0x3BCD},
		{F128, 1, 0, 0x3FFF000000000000},
		{F128, 0.1, 0xA000000000000000, 0x3FFB999999999999},
		{F128, inf, 0, 0x7FFF000000000000},
		{F8E4M3FN, 1e300, 0x7F, 0},
		{F8E4M3FNUZ, math.Copysign(0, -1), 0, 0},
		{F8E4M3FNUZ, 1e300, 0x80, 0},
		{F4E2M1FN, 1e300, 7, 0},
		{F4E2M1FN, -1e300, 15, 0},
		{F4E2M1FN, -inf, 8, 0},
		{F8E8M0FNU, 1, 127, 0},
		{F8E8M0FNU, 1e300, 255, 0},
		{F8E8M0FNU, -3, 0x100 | 129, 0},
		{F8E8M0FNU, -1e-300, 0, 0},
	} {
		if low, high := EncodeFloat(c.kind, c.value); low != c.low || high != c.high {
			t.Errorf("EncodeFloat(%s, %g) = %#x, %#x, want %#x, %#x", floatNames[c.kind], c.value, low, high, c.low, c.high)
		}
	}
}

// TestCanonicalFloat has bits of F80 that no operation gives; the results are what mlir-opt 22 prints.
func TestCanonicalFloat(t *testing.T) {
	for _, c := range []struct {
		kind          FloatKind
		low, high     uint64
		toLow, toHigh uint64
	}{
		{F80, 0, 0x0001, 0, 0x7FFF},
		{F80, 1 << 62, 0xBFFF, 1 << 62, 0xFFFF},
		{F80, 1 << 63, 0, 1 << 63, 1},
		{F80, 1, 0, 1, 0},
		{F80, 1 << 63, 0x3FFF, 1 << 63, 0x3FFF},
		{F80, 1 << 63, 0x7FFF, 1 << 63, 0x7FFF},
		{F128, 0, 1, 0, 1},
	} {
		if low, high := CanonicalFloat(c.kind, c.low, c.high); low != c.toLow || high != c.toHigh {
			t.Errorf("CanonicalFloat(%#x, %#x) = %#x, %#x, want %#x, %#x", c.low, c.high, low, high, c.toLow, c.toHigh)
		}
	}
}
