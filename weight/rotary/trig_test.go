package rotary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestFMA compares with math/big, for random values and for sums that lie so close to half way between two float32 that
// rounding them to float64 first gives the wrong one.
func TestFMA(t *testing.T) {
	exact := func(x, y, z float32) float32 {
		wide := func(v float32) *big.Float { return new(big.Float).SetPrec(500).SetFloat64(float64(v)) }
		sum := new(big.Float).SetPrec(500).Mul(wide(x), wide(y))
		r, _ := sum.Add(sum, wide(z)).Float32()
		return r
	}
	check := func(x, y, z float32) {
		t.Helper()
		if got, want := fma(x, y, z), exact(x, y, z); got != want {
			t.Fatalf("fma(%x, %x, %x) = %x, want %x", x, y, z, got, want)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	value := func(exponents int) float32 {
		mantissa := float64(random.Uint32()>>8) * 0x1p-24
		return float32(math.Ldexp(1+mantissa, random.IntN(exponents)-exponents/2) * float64(1-2*random.IntN(2)))
	}
	for range 20_000 {
		check(value(20), value(20), value(60))
		// x·y has a unit in bit 24 below its leading one: half a unit of the result. z decides far below.
		x := 1 + float32(random.IntN(1<<11))*0x1p-11
		y := 1 + float32(2*random.IntN(1<<12)+1)*0x1p-13
		check(x, y, float32(math.Ldexp(float64(1-2*random.IntN(2)), -50-random.IntN(40))))
	}
	check(0x1p-126, 0x1p-10, 0x1p-149)
	if got := fma(math.MaxFloat32, 2, 1); !math.IsInf(float64(got), 1) {
		t.Errorf("an overflowing fma gives %g", got)
	}
}

func TestLargeAngles(t *testing.T) {
	for _, x := range []float32{2e5, 1e6, -3e7} {
		if got, want := cosine(x), float32(math.Cos(float64(x))); got != want {
			t.Errorf("cosine(%g) = %g, want %g", x, got, want)
		}
		if got, want := sine(x), float32(math.Sin(float64(x))); got != want {
			t.Errorf("sine(%g) = %g, want %g", x, got, want)
		}
	}
}

func BenchmarkMake(b *testing.B) {
	for b.Loop() {
		if _, err := Make(Parameters{Theta: 1e6, Dim: 64}, 512); err != nil {
			b.Fatal(err)
		}
	}
}
